package dev.colony.vcm.tokens;

/** The kinds of characters that {@link O200kPieces} tells apart, by Unicode's general category. */
final class PieceKinds {

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
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK ->
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
