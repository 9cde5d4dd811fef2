package dev.colony.vcm.tokens;

import java.util.function.ToIntFunction;

/**
 * Counts the tokens of o200k_base piece by piece, and remembers the counts of the pieces that came
 * last: the words of a language or a program are few. A remembered piece costs a look-up, any other
 * one byte-pair encoding (Sennrich et al., "Neural Machine Translation of Rare Words with Subword
 * Units", ACL 2016). Takes at most 10 MB. Thread-safe.
 */
final class PieceCounts {

  /** A power of two; each piece has one place. */
  private static final int PLACES = 1 << 16;

  /** Longer pieces are rare, and not remembered. */
  private static final int MOST_CHARS = 40;

  private record Counted(String piece, int tokens) {}

  // Threads that race may forget a piece, no more: what a place holds is immutable.
  private final Counted[] counted = new Counted[PLACES];
  private final ToIntFunction<String> encoding;

  /**
   * @param encoding counts the tokens of one piece
   */
  PieceCounts(ToIntFunction<String> encoding) {
    this.encoding = encoding;
  }

  /** How many tokens a text has; where they are more than the most, some number above that. */
  int count(String text, int most) {
    char[] chars = text.toCharArray();
    O200kPieces pieces = new O200kPieces(chars);
    int tokens = 0;
    for (int from = 0; from < chars.length && tokens <= most; ) {
      int to = pieces.end(from);
      tokens += tokens(chars, from, to);
      from = to;
    }
    return tokens;
  }

  private int tokens(char[] chars, int from, int to) {
    if (to - from == 1 && chars[from] < 0x80) {
      // The vocabulary has every byte.
      return 1;
    }
    if (to - from > MOST_CHARS) {
      return encoding.applyAsInt(new String(chars, from, to - from));
    }
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + chars[i];
    }
    int place = (hash * 0x9E3779B9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
    Counted known = counted[place];
    if (known != null && same(known.piece(), chars, from, to)) {
      return known.tokens();
    }
    String piece = new String(chars, from, to - from);
    int tokens = encoding.applyAsInt(piece);
    counted[place] = new Counted(piece, tokens);
    return tokens;
  }

  private static boolean same(String piece, char[] chars, int from, int to) {
    if (piece.length() != to - from) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (piece.charAt(i - from) != chars[i]) {
        return false;
      }
    }
    return true;
  }
}
