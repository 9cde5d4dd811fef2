package dev.colony.replica;

import com.knuddels.jtokkit.api.IntArrayList;
import dev.colony.replica.ChatTemplate.Message;
import dev.colony.replica.lexical.LexicalModel.Tools.Call;
import dev.colony.replica.lexical.LexicalModel.Tools.Choice;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the model writes in reply: its tokens, and what the client is sent of them, piece by piece.
 *
 * @param tokens at least one
 * @param finish why it ends, in the words of the API
 * @param stopped the stop text that ended it
 */
record Generation(int[] tokens, List<Piece> pieces, String finish, Optional<String> stopped) {

  /** What a piece belongs to. */
  enum Kind {
    TEXT,
    CALLED,
    ARGUMENTS
  }

  /**
   * A part of the reply.
   *
   * @param after how many tokens are generated when it can be sent
   */
  record Piece(int after, Kind kind, String text) {}

  /** Where in what the model writes a kind of part stands, in chars. */
  private record Part(int from, int to, Kind kind) {}

  /**
   * The same end as in the chat template, so that the next prompt of a session finds its blocks.
   */
  private static final int END = ChatTemplate.END;

  /**
   * A text, cut before the first of the request's stop texts and at the limit.
   *
   * @param limit at most this many tokens
   * @param interval tokens between two pieces; the first token is a piece of its own
   */
  static Generation text(String text, List<String> stops, int limit, int interval) {
    int cut = text.length();
    int end = text.length();
    Optional<String> stopped = Optional.empty();
    for (String stop : stops) {
      int at = text.indexOf(stop);
      if (at >= 0 && at < cut) {
        cut = at;
        end = at + stop.length();
        stopped = Optional.of(stop);
      }
    }
    List<Part> parts = List.of(new Part(0, cut, Kind.TEXT));
    return of(text.substring(0, end), parts, "stop", stopped, limit, interval);
  }

  /** A tool call; of a tool that the request names, it ends as OpenAI and vLLM end it: by stop. */
  static Generation call(Call call, Choice choice, int limit, int interval) {
    String before = Message.beforeArguments(call.name());
    String arguments = call.arguments().toString();
    int from = before.length();
    List<Part> parts =
        List.of(
            new Part(0, from, Kind.CALLED),
            new Part(from, from + arguments.length(), Kind.ARGUMENTS));
    String finish = choice instanceof Choice.Named ? "stop" : "tool_calls";
    Generation written =
        of(Message.rendered(call), parts, finish, Optional.empty(), limit, interval);
    List<Piece> named =
        written.pieces().stream()
            .map(p -> p.kind() == Kind.CALLED ? new Piece(p.after(), p.kind(), call.name()) : p)
            .toList();
    return new Generation(written.tokens(), named, written.finish(), Optional.empty());
  }

  private static Generation of(
      String text,
      List<Part> parts,
      String finish,
      Optional<String> stopped,
      int limit,
      int interval) {
    IntArrayList encoded = TokenCounter.o200k().encodeOrdinary(text);
    int[] ends = charEnds(text, encoded);
    int kept = Math.min(encoded.size(), limit);
    boolean ended = kept < limit && stopped.isEmpty();
    int[] tokens = new int[ended ? kept + 1 : kept];
    for (int i = 0; i < kept; i++) {
      tokens[i] = encoded.get(i);
    }
    if (ended) {
      tokens[kept] = END;
    }
    boolean cut = encoded.size() > limit || !ended && stopped.isEmpty();
    return new Generation(
        tokens,
        pieces(text, parts, ends, kept, interval),
        cut ? "length" : finish,
        encoded.size() > limit ? Optional.empty() : stopped);
  }

  private static List<Piece> pieces(
      String text, List<Part> parts, int[] ends, int tokens, int interval) {
    List<Piece> pieces = new ArrayList<>();
    int sent = 0;
    for (int after = Math.min(1, tokens); after > 0; after = next(after, tokens, interval)) {
      int to = ends[after - 1];
      for (Part part : parts) {
        int from = Math.max(sent, part.from());
        int end = Math.min(to, part.to());
        if (part.kind() == Kind.CALLED) {
          // The name is known once all that stands before the arguments is written.
          if (sent < part.to() && to >= part.to()) {
            pieces.add(new Piece(after, part.kind(), ""));
          }
        } else if (from < end) {
          pieces.add(new Piece(after, part.kind(), text.substring(from, end)));
        }
      }
      sent = to;
    }
    return pieces;
  }

  /** The next count of tokens at which a piece is sent; 0 after the last. */
  private static int next(int after, int tokens, int interval) {
    return after == tokens ? 0 : Math.min(tokens, after - after % interval + interval);
  }

  /** For each token, how many chars are complete with it. */
  private static int[] charEnds(String text, IntArrayList tokens) {
    int[] ends = new int[tokens.size()];
    IntArrayList one = new IntArrayList(1);
    int at = 0;
    long bytes = 0;
    long bytesAt = 0;
    for (int i = 0; i < ends.length; i++) {
      one.clear();
      one.add(tokens.get(i));
      bytes += TokenCounter.o200k().decodeBytes(one).length;
      while (at < text.length() && bytesAt + width(text.codePointAt(at)) <= bytes) {
        int point = text.codePointAt(at);
        bytesAt += width(point);
        at += Character.charCount(point);
      }
      ends[i] = i == ends.length - 1 ? text.length() : at;
    }
    return ends;
  }

  /** Bytes of a code point in UTF-8; half a surrogate pair is written as a question mark. */
  private static int width(int point) {
    if (point < 0x80 || point >= 0xD800 && point <= 0xDFFF) {
      return 1;
    }
    return point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
}
