package dev.colony.library.source;

/**
 * How far a definition reaches: from its comment and its annotations to the end of its body, which
 * is where its brackets are closed, or where its indentation ends.
 */
final class Blocks {

  private static final int HEAD_LINES = 30;

  private Blocks() {}

  /**
   * The definition that a line begins.
   *
   * @param most lines from that one on; a longer body is cut
   */
  static Span of(MappedText file, int at, int most, String kind, int lineChars) {
    Language language = Language.of(file.path());
    return file.span(head(file, language, at), end(file, at, most), kind, lineChars);
  }

  /** The last line of the definition that a line begins, as far as it is looked for. */
  static int end(MappedText file, int at, int most) {
    return switch (Language.of(file.path()).block()) {
      case BRACES -> braces(file, at, most);
      case INDENT -> indented(file, at, most);
      case LINE -> at;
    };
  }

  /** The first line of the comment and the annotations above. */
  private static int head(MappedText file, Language language, int at) {
    int first = at;
    while (first > 0 && at - first < HEAD_LINES && file.joined(first - 1)) {
      String above = file.line(first - 1);
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
  private static int braces(MappedText file, int at, int most) {
    int braces = 0;
    int others = 0;
    boolean comment = false;
    int last = Math.min(file.count(), at + most) - 1;
    for (int line = at; line <= last; line++) {
      String text = file.line(line);
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
      if (braces == 0 && others <= 0 && !opensLater(file, line)) {
        return deeper(file, line, last);
      }
    }
    return last;
  }

  /** Whether the body may begin on a line after this one. */
  private static boolean opensLater(MappedText file, int line) {
    String text = file.line(line).stripTrailing();
    String next = line + 1 < file.count() ? file.line(line + 1).strip() : "";
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
  private static int deeper(MappedText file, int line, int last) {
    int own = indent(file.line(line));
    int end = line;
    for (int next = line + 1; next <= last; next++) {
      String text = file.line(next);
      if (!text.isBlank() && indent(text) <= own) {
        break;
      }
      end = text.isBlank() ? end : next;
    }
    return end;
  }

  private static int indented(MappedText file, int at, int most) {
    int last = Math.min(file.count(), at + most) - 1;
    int end = deeper(file, at, last);
    // The closing bracket of parameters, and the word that ends a block, stand under its head.
    while (end < last
        && indent(file.line(end + 1)) == indent(file.line(at))
        && file.line(end + 1).strip().matches("\\).*|end")) {
      end = deeper(file, end + 1, last);
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
