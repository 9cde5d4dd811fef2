package dev.colony.vcm.source;

import dev.colony.blackboard.value.Text;

/**
 * Cuts lines that no page could hold into rows. Each row begins with where it stands in its file,
 * as {@code [LINE:COLUMN] }, counted from 1 in UTF-16 units, and ends behind a mark of punctuation
 * where one is near. The other lines stay as they are. Pure.
 */
final class LongLines {

  /** Of the file, in a row. */
  static final int ROW_CHARS = 400;

  /** Within which a row looks for a better end. */
  private static final int SLACK_CHARS = 100;

  private static final String ENDS = ",;{}[]()<> \t";

  private LongLines() {}

  /**
   * The text with rows in place of its long lines; the very text where it has none.
   *
   * @param most characters of a line that is left whole
   */
  static String cut(String text, int most) {
    StringBuilder rows = null;
    int line = 1;
    for (int start = 0, end; start < text.length(); start = end + 1, line++) {
      end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      if (end - start > most && rows == null) {
        rows = new StringBuilder(text.length() + text.length() / 16).append(text, 0, start);
      }
      if (rows != null) {
        append(rows, text, start, end, end - start > most ? line : 0);
        rows.append(end < text.length() ? "\n" : "");
      }
    }
    return rows == null ? text : rows.toString();
  }

  /** Appends a line: whole where its number is 0. */
  private static void append(StringBuilder rows, String text, int start, int end, int line) {
    if (line == 0) {
      rows.append(text, start, end);
      return;
    }
    for (int from = start, to; from < end; from = to) {
      to = rowEnd(text, from, end);
      rows.append(from == start ? "" : "\n")
          .append('[')
          .append(line)
          .append(':')
          .append(from - start + 1)
          .append("] ")
          .append(text, from, to);
    }
  }

  private static int rowEnd(String text, int from, int end) {
    int most = from + ROW_CHARS;
    if (most >= end) {
      return end;
    }
    for (int to = most; to > most - SLACK_CHARS; to--) {
      if (ENDS.indexOf(text.charAt(to - 1)) >= 0) {
        return to;
      }
    }
    return from + Text.head(text.substring(from, most + 1), ROW_CHARS).length();
  }
}
