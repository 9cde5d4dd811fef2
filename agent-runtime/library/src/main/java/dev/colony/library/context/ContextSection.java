package dev.colony.library.context;

import java.util.Objects;
import java.util.Set;

/**
 * What a layer puts into a prompt.
 *
 * @param shown the texts, on one line each, of the stage's lines that it shows
 * @param lines how many lines of a list it shows
 * @param of how many there were; more than {@code lines} where a window or a budget cut it
 */
public record ContextSection(String text, Set<String> shown, int lines, long of) {

  public ContextSection {
    Objects.requireNonNull(text, "text");
    shown = Set.copyOf(shown);
  }

  /** A section that is no list. */
  public static ContextSection of(String text) {
    return new ContextSection(text, Set.of(), 0, 0);
  }
}
