package dev.colony.vcm.mapping;

import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.CASELESS;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.LINE_END;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.LOWER;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.MARK;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.NUMBER;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.OTHER;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.SPACE;
import static dev.colony.vcm.mapping.O200kPieces.PieceKinds.UPPER;

/**
 * Cuts a text into the pieces that o200k_base makes tokens of, none of which spans two: words with
 * what stands before them, up to three digits, symbols with the line ends behind them, white space.
 * The same cuts as those of the vocabulary's regular expression, the alternatives of which stand as
 * comments below, in one pass without backtracking over more than a run of letters.
 */
final class O200kPieces {

  private final char[] text;
  private final int length;

  O200kPieces(char[] text) {
    this.text = text;
    this.length = text.length;
  }

  /** Where the piece ends that begins at an index below the text's length; beyond that index. */
  int end(int from) {
    byte kind = kind(from);
    int next = from + width(from);
    switch (kind) {
      case UPPER, LOWER, CASELESS -> {
        return word(from);
      }
      case NUMBER -> {
        // \p{N}{1,3}
        int end = next;
        for (int digits = 1; digits < 3 && end < length && kind(end) == NUMBER; digits++) {
          end += width(end);
        }
        return end;
      }
      default -> {
        if (kind != LINE_END && next < length && inWord(kind(next))) {
          // The character stands before a word; a mark rather ends a word of its own than that.
          return kind == MARK && upperOnly(next) ? contracted(next) : word(next);
        }
        if (kind == MARK) {
          return contracted(next);
        }
        if (kind == OTHER) {
          return symbols(next);
        }
        //  ?[^\s\p{L}\p{N}]+[\r\n/]*
        return text[from] == ' ' && next < length && isSymbol(kind(next))
            ? symbols(next + width(next))
            : space(from);
      }
    }
  }

  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
  private int word(int from) {
    int at = from;
    int lastCaseless = -1;
    while (at < length) {
      byte kind = kind(at);
      if (kind == CASELESS || kind == MARK) {
        at += width(at);
        lastCaseless = at;
      } else if (kind == UPPER) {
        at += width(at);
      } else {
        break;
      }
    }
    if (at < length && kind(at) == LOWER) {
      do {
        at += width(at);
      } while (at < length && inLowerRun(kind(at)));
      return contracted(at);
    }
    // Without a lower case letter the first form ends with the last letter that has no case.
    return contracted(lastCaseless >= 0 ? lastCaseless : at);
  }

  private boolean upperOnly(int from) {
    int at = from;
    while (at < length && kind(at) == UPPER) {
      at += width(at);
    }
    return at > from && (at == length || !inLowerRun(kind(at)));
  }

  private int symbols(int from) {
    int at = from;
    while (at < length && isSymbol(kind(at))) {
      at += width(at);
    }
    while (at < length && (text[at] == '/' || kind(at) == LINE_END)) {
      at++;
    }
    return at;
  }

  // \s*[\r\n]+|\s+(?!\S)|\s+
  private int space(int from) {
    int at = from;
    int lastLineEnd = -1;
    for (byte kind; at < length && ((kind = kind(at)) == SPACE || kind == LINE_END); ) {
      at++;
      if (kind == LINE_END) {
        lastLineEnd = at;
      }
    }
    if (lastLineEnd >= 0) {
      return lastLineEnd;
    }
    return at == length || at == from + 1 ? at : at - 1;
  }

  /** With the ending that follows an apostrophe at the index, if one does. */
  private int contracted(int at) {
    if (at + 1 >= length || text[at] != '\'') {
      return at;
    }
    char second = at + 2 < length ? lower(text[at + 2]) : 0;
    return switch (lower(text[at + 1])) {
      case 's', 't', 'm', 'd' -> at + 2;
      case 'r', 'v' -> second == 'e' ? at + 3 : at;
      case 'l' -> second == 'l' ? at + 3 : at;
      default -> at;
    };
  }

  /** As comparing without regard to case does, for which the long s is an s. */
  private static char lower(char c) {
    return c == '\u017F' ? 's' : c < 0x80 ? (char) (c | 0x20) : c;
  }

  private static boolean inWord(byte kind) {
    return kind >= UPPER && kind <= MARK;
  }

  private static boolean inLowerRun(byte kind) {
    return kind >= LOWER && kind <= MARK;
  }

  private static boolean isSymbol(byte kind) {
    return kind == OTHER || kind == MARK;
  }

  private byte kind(int at) {
    char c = text[at];
    return width(at) == 1
        ? PieceKinds.of(c)
        : PieceKinds.of(Character.toCodePoint(c, text[at + 1]));
  }

  private int width(int at) {
    return Character.isHighSurrogate(text[at])
            && at + 1 < length
            && Character.isLowSurrogate(text[at + 1])
        ? 2
        : 1;
  }

  /**
   * The kinds of characters that {@link O200kPieces} tells apart, by Unicode's general category.
   */
  static final class PieceKinds {

    /** Neither of the others: a symbol, a punctuation mark, a control character. */
    static final byte OTHER = 0;

    /** Upper and title case letters. */
    static final byte UPPER = 1;

    /** Lower case letters. */
    static final byte LOWER = 2;

    /** Letters that have no case, and modifiers. */
    static final byte CASELESS = 3;

    /** Marks that belong to the character before them. */
    static final byte MARK = 4;

    static final byte NUMBER = 5;

    /** White space that ends no line. */
    static final byte SPACE = 6;

    /** A line feed or a carriage return. */
    static final byte LINE_END = 7;

    private static final byte[] BASIC = basic();

    private PieceKinds() {}

    /** Of a character that is no half of a surrogate pair; of a half, {@link #OTHER}. */
    static byte of(char c) {
      return BASIC[c];
    }

    static byte of(int codePoint) {
      return switch (Character.getType(codePoint)) {
        case Character.UPPERCASE_LETTER, Character.TITLECASE_LETTER -> UPPER;
        case Character.LOWERCASE_LETTER -> LOWER;
        case Character.MODIFIER_LETTER, Character.OTHER_LETTER -> CASELESS;
        case Character.NON_SPACING_MARK,
            Character.ENCLOSING_MARK,
            Character.COMBINING_SPACING_MARK ->
            MARK;
        case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER ->
            NUMBER;
        case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
            SPACE;
        default ->
            switch (codePoint) {
              case '\n', '\r' -> LINE_END;
              // The control characters with Unicode's property White_Space.
              case '\t', 0x0B, '\f', 0x85 -> SPACE;
              default -> OTHER;
            };
      };
    }

    private static byte[] basic() {
      byte[] kinds = new byte[Character.MAX_VALUE + 1];
      for (int c = 0; c < kinds.length; c++) {
        kinds[c] = of(c);
      }
      return kinds;
    }
  }
}
