package dev.colony.vcm.mapping;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * Counts tokens exactly, about 30 MB of source text per second and core with o200k_base, 4 MB with
 * cl100k_base. A vocabulary is loaded once per process, at the first count (0.3 s, 40 MB).
 * Thread-safe.
 */
public final class TokenCounter {

  /** The vocabulary that is used where none is named. */
  public static final String DEFAULT = "o200k_base";

  // The older ones of its kind do not add up at the end of a line.
  private static final String CL100K = "cl100k_base";

  private static final class Vocabularies {
    static final EncodingRegistry ALL = Encodings.newLazyEncodingRegistry();
    static final Encoding O200K = ALL.getEncoding(EncodingType.O200K_BASE);
    static final PieceCounts COUNTS = new PieceCounts(O200K::countTokensOrdinary);
  }

  /** Counts up to a number of tokens; where there are more, gives some number above it. */
  @FunctionalInterface
  private interface Counting {
    int count(String text, int most);
  }

  private final Counting tokens;

  /** Of the vocabulary o200k_base. */
  public TokenCounter() {
    this((text, most) -> Vocabularies.COUNTS.count(text, most));
  }

  private TokenCounter(Counting tokens) {
    this.tokens = tokens;
  }

  /** The vocabulary o200k_base itself; loaded at the first call, and shared with all counters. */
  public static Encoding o200k() {
    return Vocabularies.O200K;
  }

  /**
   * Of a vocabulary: o200k_base, cl100k_base, or a {@link Tokenizer} on the class path.
   *
   * @throws IllegalArgumentException if there is none of the name, in one line that says which
   *     there are
   */
  public static TokenCounter named(String name) {
    if (name.equals(DEFAULT)) {
      return new TokenCounter();
    }
    Set<String> there = new TreeSet<>();
    for (Tokenizer one : ServiceLoader.load(Tokenizer.class)) {
      there.add(one.name());
      if (one.name().equals(name)) {
        return new TokenCounter((text, most) -> one.count(text));
      }
    }
    if (name.equals(CL100K)) {
      Encoding encoding = Vocabularies.ALL.getEncoding(EncodingType.CL100K_BASE);
      return new TokenCounter((text, most) -> encoding.countTokensOrdinary(text));
    }
    there.addAll(List.of(DEFAULT, CL100K));
    throw new IllegalArgumentException(
        "colony.vcm.grouping.tokenizer is %s, must be one of %s"
            .formatted(name, String.join(", ", there)));
  }

  /** Markers such as {@code <|endoftext|>} count as the plain text that they are in a source. */
  public int count(String text) {
    return tokens.count(text, Integer.MAX_VALUE);
  }

  /**
   * The count of a text that has at most so many tokens; of any other, some number above that, at
   * the cost of little more than so many where the vocabulary is o200k_base.
   */
  public int count(String text, int most) {
    return tokens.count(text, most);
  }

  /**
   * Counts the tokens of o200k_base piece by piece, and remembers the counts of the pieces that
   * came last: the words of a language or a program are few. A remembered piece costs a look-up,
   * any other one byte-pair encoding (Sennrich et al., "Neural Machine Translation of Rare Words
   * with Subword Units", ACL 2016). Takes at most 10 MB. Thread-safe.
   */
  static final class PieceCounts {

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
}
