package dev.colony.replica;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;

/**
 * Tokens of message texts (o200k_base), remembered by the text's digest: the same page comes with
 * every call, and tokenizing costs a hundred times what digesting does. Holds at most four million
 * tokens, least recently used out first. Thread-safe.
 */
final class TokenMemo {

  private static final long MOST_TOKENS = 4_000_000;

  /** Shared by all: it is immutable, and loading its vocabulary takes a noticeable moment. */
  static final Encoding ENCODING =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private final LinkedHashMap<ByteBuffer, int[]> memo = new LinkedHashMap<>(64, 0.75f, true);
  private long held;

  int[] tokens(String text) {
    ByteBuffer digest = digest(text);
    synchronized (memo) {
      int[] known = memo.get(digest);
      if (known != null) {
        return known;
      }
    }
    int[] tokens = encode(text);
    synchronized (memo) {
      if (memo.put(digest, tokens) == null) {
        held += tokens.length;
      }
      while (held > MOST_TOKENS && !memo.isEmpty()) {
        held -= memo.pollFirstEntry().getValue().length;
      }
    }
    return tokens;
  }

  private static int[] encode(String text) {
    IntArrayList encoded = ENCODING.encodeOrdinary(text);
    int[] tokens = new int[encoded.size()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = encoded.get(i);
    }
    return tokens;
  }

  private static ByteBuffer digest(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
