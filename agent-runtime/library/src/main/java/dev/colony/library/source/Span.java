package dev.colony.library.source;

import java.util.Comparator;

/**
 * Lines of a file.
 *
 * @param file its path in the map
 * @param firstLine counted from 1, inclusive
 * @param lastLine inclusive
 * @param text the lines as they stand there, with line feeds between them; a line that is too long
 *     is cut and ends with {@code ...}
 * @param kind what they are: {@code match}, {@code lines}, one of {@link Definitions.Kind} or one
 *     of {@link Usages.Kind}, in lower case
 * @param page the page that the first of them is on
 */
public record Span(
    String file, int firstLine, int lastLine, String text, String kind, String page) {

  /** By file, then by line. */
  static final Comparator<Span> BY_PLACE =
      Comparator.comparing(Span::file).thenComparingInt(Span::firstLine);

  /** As in {@code src/Main.java:12-14}; of one line without its end. */
  public String place() {
    return firstLine == lastLine
        ? file + ":" + firstLine
        : "%s:%d-%d".formatted(file, firstLine, lastLine);
  }
}
