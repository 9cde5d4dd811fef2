package dev.colony.cli.ask;

/**
 * The text of one field of a JSON object that comes in pieces, as it comes: the field {@code
 * answer} of the object itself, not of one within it. What is no such object gives nothing.
 */
final class AnswerText {

  private static final String FIELD = "answer";

  private enum In {
    BEFORE,
    KEY,
    COLON,
    VALUE,
    OTHER
  }

  private In in = In.BEFORE;
  private int depth;
  private boolean quoted;
  private boolean escaped;
  private int hexDigits;
  private int hex;
  private boolean wanted;
  private boolean ended;
  private final StringBuilder key = new StringBuilder();

  /** Takes the next piece of the JSON, and gives what it adds to the text. */
  String take(String piece) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < piece.length() && !ended; i++) {
      take(piece.charAt(i), text);
    }
    return text.toString();
  }

  /** Whether the field's text is whole. */
  boolean ended() {
    return ended;
  }

  private void take(char c, StringBuilder text) {
    if (quoted) {
      inString(c, text);
      return;
    }
    switch (c) {
      case '"' -> {
        quoted = true;
        key.setLength(0);
      }
      case '{', '[' -> {
        depth++;
        in = depth == 1 && c == '{' ? In.KEY : In.OTHER;
      }
      case '}', ']' -> {
        depth--;
        ended = depth <= 0;
        in = In.OTHER;
      }
      case ':' -> {
        if (depth == 1 && in == In.COLON) {
          in = In.VALUE;
        }
      }
      case ',' -> in = depth == 1 ? In.KEY : in;
      default -> {}
    }
  }

  private void inString(char c, StringBuilder text) {
    if (hexDigits > 0) {
      hex = hex * 16 + Math.max(0, Character.digit(c, 16));
      if (--hexDigits == 0) {
        add((char) hex, text);
      }
    } else if (escaped) {
      escaped = false;
      switch (c) {
        case 'n' -> add('\n', text);
        case 't' -> add('\t', text);
        case 'r', 'b', 'f' -> add(' ', text);
        case 'u' -> {
          hexDigits = 4;
          hex = 0;
        }
        default -> add(c, text);
      }
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '"') {
      quoted = false;
      ends();
    } else {
      add(c, text);
    }
  }

  private void ends() {
    if (depth == 1 && in == In.KEY) {
      wanted = key.toString().equals(FIELD);
      in = In.COLON;
    } else if (depth == 1 && in == In.VALUE) {
      ended = wanted;
      in = In.OTHER;
    }
  }

  private void add(char c, StringBuilder text) {
    if (depth == 1 && in == In.VALUE) {
      if (wanted) {
        text.append(c);
      }
    } else if (key.length() <= FIELD.length()) {
      key.append(c);
    }
  }
}
