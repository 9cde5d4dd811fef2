package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ToolCall;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One protocol's forms of replies, of one call. Not thread-safe. */
public sealed interface ReplyForms permits ChatCompletionsForms, ResponsesForms, MessagesForms {

  JsonNode whole(InferenceReply reply);

  /** The body of a call that failed. */
  default JsonNode failed(OpenAiError error) {
    return error.toJson();
  }

  /** The events of a reply in parts, as its deltas come. */
  ReplyEvents events();

  /** OpenAI's word for why a reply ended. */
  static String word(FinishReason finish) {
    return switch (finish) {
      case STOP -> "stop";
      case LENGTH -> "length";
      case TOOL_CALLS -> "tool_calls";
      case CONTENT_FILTER -> "content_filter";
    };
  }

  /**
   * Makes the server-sent events of one reply from its deltas. Not thread-safe: a call at a time.
   */
  public interface ReplyEvents {

    /** Those that a reply begins with, whatever becomes of it; none where its form has none. */
    default List<byte[]> begun() {
      return List.of();
    }

    /** The bytes of the events that a delta makes; none where it makes none. */
    List<byte[]> of(InferenceDelta delta);

    /** The last events of a reply that broke off after some had been sent. */
    List<byte[]> failed(OpenAiError error);

    static byte[] data(String data) {
      return ("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    static byte[] named(String name, JsonNode data) {
      return ("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
  }

  /**
   * What of a running reply may be sent to a client that cannot be told to forget it. Text goes out
   * as it comes where it is the reply's own; text that is held to a schema, and tool calls, when
   * they are checked. Where an attempt fails after parts of it went out, the next one's have to
   * begin with the same; else the reply is broken off. Holds what it has passed on. Not
   * thread-safe.
   */
  static final class ReplyParts {

    sealed interface Part {

      /**
       * A server has begun, or begins anew.
       *
       * @param model that answers
       */
      record Begin(String model) implements Part {}

      record Text(String text) implements Part {}

      record Reasoning(String text) implements Part {}

      record Call(int index, ToolCall call) implements Part {}

      record End(InferenceReply reply) implements Part {}
    }

    /** One text of the reply. */
    private static final class Passed {
      private final StringBuilder all = new StringBuilder();
      private int at;

      String fresh(String more) {
        int again = Math.min(all.length() - at, more.length());
        if (!more.substring(0, again).contentEquals(all.subSequence(at, at + again))) {
          throw new InferenceException(
              Kind.BROKEN_OFF,
              "the reply broke off, and another attempt at it goes on differently: ask again",
              null);
        }
        String fresh = more.substring(again);
        all.append(fresh);
        at += more.length();
        return fresh;
      }
    }

    private final Passed text = new Passed();
    private final Passed reasoning = new Passed();
    private boolean verbatim;

    /**
     * What goes out next; may be nothing.
     *
     * @throws InferenceException if what went out before cannot be gone on with
     */
    List<Part> of(InferenceDelta delta) {
      List<Part> parts = new ArrayList<>(2);
      switch (delta) {
        case InferenceDelta.Asked asked -> {
          verbatim = asked.verbatim();
          text.at = 0;
          reasoning.at = 0;
          parts.add(new Part.Begin(asked.model()));
        }
        case InferenceDelta.Text more when verbatim -> add(parts, more.text());
        case InferenceDelta.Text held -> {}
        case InferenceDelta.Reasoning more -> {
          String fresh = reasoning.fresh(more.text());
          if (!fresh.isEmpty()) {
            parts.add(new Part.Reasoning(fresh));
          }
        }
        case InferenceDelta.ToolArguments held -> {}
        case InferenceDelta.Done done -> {
          InferenceReply reply = done.reply();
          if (reply.text().startsWith(text.all.toString())) {
            text.at = 0;
            add(parts, reply.text());
          }
          for (int i = 0; i < reply.toolCalls().size(); i++) {
            parts.add(new Part.Call(i, reply.toolCalls().get(i)));
          }
          parts.add(new Part.End(reply));
        }
      }
      return parts;
    }

    private void add(List<Part> parts, String more) {
      String fresh = text.fresh(more);
      if (!fresh.isEmpty()) {
        parts.add(new Part.Text(fresh));
      }
    }
  }
}
