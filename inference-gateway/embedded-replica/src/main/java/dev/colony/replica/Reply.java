package dev.colony.replica;

import com.knuddels.jtokkit.api.EncodingResult;
import java.util.ArrayList;
import java.util.List;

/** A model's text, cut at its token limit. */
record Reply(String text, int sizeTokens, boolean truncated) {

  /** About as many tokens as one piece of a streamed reply holds. */
  static final int PIECE_TOKENS = 8;

  static Reply upTo(int limit, String text) {
    EncodingResult encoded = TokenMemo.ENCODING.encodeOrdinary(text, limit);
    String kept = encoded.isTruncated() ? TokenMemo.ENCODING.decode(encoded.getTokens()) : text;
    return new Reply(kept, encoded.getTokens().size(), encoded.isTruncated());
  }

  /** The text in pieces of equal length, never cutting a code point. */
  List<String> pieces() {
    int count = Math.max(1, (sizeTokens + PIECE_TOKENS - 1) / PIECE_TOKENS);
    int length = Math.max(1, (text.length() + count - 1) / count);
    List<String> pieces = new ArrayList<>(count);
    for (int at = 0; at < text.length(); ) {
      int end = Math.min(text.length(), at + length);
      if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
        end++;
      }
      pieces.add(text.substring(at, end));
      at = end;
    }
    return pieces;
  }
}
