package dev.colony.vcm.mapping;

import java.util.Arrays;

/**
 * A text's lines without copying them. FileLines end with a line feed; the last one may lack it.
 */
final class FileLines {

  private final String text;
  private final int[] starts;
  private final int count;

  private FileLines(String text, int[] starts, int count) {
    this.text = text;
    this.starts = starts;
    this.count = count;
  }

  static FileLines of(String text) {
    int[] starts = new int[Math.max(16, text.length() / 32)];
    int count = 0;
    for (int start = 0; start < text.length(); ) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = start;
      int end = text.indexOf('\n', start);
      start = end < 0 ? text.length() : end + 1;
    }
    return new FileLines(text, starts, count);
  }

  int count() {
    return count;
  }

  /** The lines of a range, counted from 0, each ended by a line feed. */
  String text(int from, int to) {
    String part = text.substring(starts[from], start(to));
    return part.endsWith("\n") ? part : part + "\n";
  }

  /**
   * How good a place for a cut it is right before a line, 0 to 1: best before a line that begins at
   * the margin behind an empty one, as a declaration or a chapter does.
   */
  double looseness(int line) {
    int indent = indent(line);
    if (indent < 0) {
      return 0;
    }
    boolean afterBlank = indent(line - 1) < 0;
    char first = text.charAt(starts[line] + indent);
    boolean closing = first == '}' || first == ')' || first == ']';
    double depth = 1.0 / (1 + indent / 2);
    return closing ? 0.1 * depth : (afterBlank ? 0.6 : 0.2) * (0.5 + 0.5 * depth);
  }

  /** The characters before the first that is no white space; -1 where there is none. */
  private int indent(int line) {
    int start = starts[line];
    for (int i = start; i < start(line + 1); i++) {
      if (!Character.isWhitespace(text.charAt(i))) {
        return i - start;
      }
    }
    return -1;
  }

  private int start(int line) {
    return line < count ? starts[line] : text.length();
  }
}
