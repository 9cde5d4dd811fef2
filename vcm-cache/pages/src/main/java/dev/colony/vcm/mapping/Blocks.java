package dev.colony.vcm.mapping;

import java.util.List;

/**
 * How far a definition reaches: from its comment and its annotations to the end of its body, which
 * is where its brackets are closed, or where its indentation ends.
 */
public final class Blocks {

  private Blocks() {}

  /**
   * The last line of the definition that a line begins, as far as it is looked for.
   *
   * @param lines of the file, by their positions from 0
   * @param most lines from that one on; a longer body is cut
   */
  public static int end(Language language, List<String> lines, int at, int most) {
    return switch (language.block()) {
      case BRACES -> braces(lines, at, most);
      case INDENT -> indented(lines, at, most);
      case LINE -> at;
    };
  }

  /**
   * The first line of the comment and the annotations above a definition.
   *
   * @param lines that stand one after the other, the last of which begins the definition
   * @param most of them that are looked at
   */
  public static int head(Language language, List<String> lines, int most) {
    int at = lines.size() - 1;
    int first = at;
    while (first > 0 && at - first < most) {
      String above = lines.get(first - 1);
      String stripped = above.strip();
      boolean belongs =
          language.comment(above) || stripped.startsWith("@") || stripped.startsWith("#[");
      if (!belongs) {
        break;
      }
      first--;
    }
    return first;
  }

  /** Where the first brace that is opened is closed, or the statement ends before there is one. */
  private static int braces(List<String> lines, int at, int most) {
    int braces = 0;
    int others = 0;
    boolean comment = false;
    int last = Math.min(lines.size(), at + most) - 1;
    for (int line = at; line <= last; line++) {
      String text = lines.get(line);
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (comment) {
          if (text.startsWith("*/", i)) {
            comment = false;
            i++;
          }
        } else if (text.startsWith("/*", i)) {
          comment = true;
          i++;
        } else if (text.startsWith("//", i)) {
          break;
        } else if (c == '"' || c == '\'' || c == '`') {
          i = closing(text, i);
        } else if (c == '{') {
          braces++;
        } else if (c == '}') {
          braces--;
          if (braces <= 0) {
            return line;
          }
        } else if (c == '(' || c == '[') {
          others++;
        } else if (c == ')' || c == ']') {
          others--;
        } else if (c == ';' && braces == 0 && others <= 0) {
          return line;
        }
      }
      if (braces == 0 && others <= 0 && !opensLater(lines, line)) {
        return deeper(lines, line, last);
      }
    }
    return last;
  }

  /** Whether the body may begin on a line after this one. */
  private static boolean opensLater(List<String> lines, int line) {
    String text = lines.get(line).stripTrailing();
    String next = line + 1 < lines.size() ? lines.get(line + 1).strip() : "";
    return next.startsWith("{")
        || next.startsWith("throws ")
        || next.startsWith("extends ")
        || next.startsWith("implements ")
        || next.startsWith("permits ")
        || next.startsWith(":")
        || text.endsWith(",")
        || text.endsWith("implements")
        || text.endsWith("extends")
        || text.endsWith("throws");
  }

  /** A body without braces: what is indented more than the line. */
  private static int deeper(List<String> lines, int line, int last) {
    int own = indent(lines.get(line));
    int end = line;
    for (int next = line + 1; next <= last; next++) {
      String text = lines.get(next);
      if (!text.isBlank() && indent(text) <= own) {
        break;
      }
      end = text.isBlank() ? end : next;
    }
    return end;
  }

  private static int indented(List<String> lines, int at, int most) {
    int last = Math.min(lines.size(), at + most) - 1;
    int end = deeper(lines, at, last);
    // The closing bracket of parameters, and the word that ends a block, stand under its head.
    while (end < last
        && indent(lines.get(end + 1)) == indent(lines.get(at))
        && lines.get(end + 1).strip().matches("\\).*|end")) {
      end = deeper(lines, end + 1, last);
    }
    return end;
  }

  private static int indent(String line) {
    int at = 0;
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Where a literal ends that begins here; where it does not, as an apostrophe, itself. */
  private static int closing(String text, int at) {
    char quote = text.charAt(at);
    for (int i = at + 1; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == quote) {
        return i;
      }
    }
    return at;
  }
}
