package dev.colony.vcm.schedule;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How sensitive a page is, the least first; also up to what a tenant or a replica is cleared. */
public enum Sensitivity {
  PUBLIC,
  INTERNAL,
  CONFIDENTIAL,
  RESTRICTED;

  /** In lower case, as settings and commands have it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads {@link #word} back.
   *
   * @throws IllegalArgumentException if it is none, in one line that says which there are
   */
  public static Sensitivity of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word().equals(word))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "%s is no class of sensitivity, must be one of %s"
                    .formatted(
                        word,
                        Arrays.stream(values())
                            .map(Sensitivity::word)
                            .collect(Collectors.joining(", ")))));
  }
}
