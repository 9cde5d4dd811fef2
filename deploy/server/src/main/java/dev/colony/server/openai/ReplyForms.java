package dev.colony.server.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceReply;

/** One protocol's forms of replies, of one call. Not thread-safe. */
public sealed interface ReplyForms permits ChatCompletionsForms, ResponsesForms {

  /** The whole reply. */
  JsonNode whole(InferenceReply reply);

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
}
