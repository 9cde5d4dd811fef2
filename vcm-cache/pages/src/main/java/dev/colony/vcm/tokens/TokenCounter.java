package dev.colony.vcm.tokens;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

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
    static final PieceCounts O200K =
        new PieceCounts(ALL.getEncoding(EncodingType.O200K_BASE)::countTokensOrdinary);
  }

  /** Counts up to a number of tokens; where there are more, gives some number above it. */
  @FunctionalInterface
  private interface Counting {
    int count(String text, int most);
  }

  private final Counting tokens;

  /** Of the vocabulary o200k_base. */
  public TokenCounter() {
    this((text, most) -> Vocabularies.O200K.count(text, most));
  }

  private TokenCounter(Counting tokens) {
    this.tokens = tokens;
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
}
