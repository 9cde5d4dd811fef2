package dev.colony.bench.answers;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How a scripted reader answers. */
public enum ReaderManner {
  /**
   * As the key has it: right queries, right lines letter by letter, a second round where needed.
   */
  COMPETENT,
  /** The same with wrong numbers, shortened paths, joined lines, slips, and JSON in a fence. */
  SLOPPY,
  /**
   * Quotes what no file has, in words that the key takes for right, and cites what there is not.
   */
  INVENTING;

  /** As it is written on the command line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * That of a name.
   *
   * @throws IllegalArgumentException on one line, if there is none
   */
  public static ReaderManner of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word().equals(word))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "a reader is %s, not: %s"
                    .formatted(
                        Arrays.stream(values())
                            .map(ReaderManner::word)
                            .collect(Collectors.joining(", ")),
                        word)));
  }
}
