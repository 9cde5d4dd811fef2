package dev.colony.agent.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.prompt.JsonPreview;
import dev.colony.agent.stream.StreamEntry;
import java.time.Instant;

/**
 * What an agent experiences, as the entries that its consciousness streams are offered. Values are
 * bounded here, since entries are part of the agent's durable state. Pure.
 */
public final class Experience {

  private Experience() {}

  /**
   * An action that has ended.
   *
   * @param previewChars how much of its output and its error is kept
   */
  public static StreamEntry of(ActionCall call, Instant at, int previewChars) {
    ActionResult result = call.result();
    ObjectNode content = JsonNodeFactory.instance.objectNode();
    content.put("action_key", call.action().key());
    content.put("action_id", call.action().actionId());
    content.put("success", result.success());
    content.put("status", result.status().name());
    content.put(
        "output_preview",
        result.output().isNull() ? "" : JsonPreview.of(result.output(), previewChars));
    content.put("error", JsonPreview.cut(result.error(), previewChars));
    return new StreamEntry(StreamEntry.ACTION, at, content);
  }

  /** An event as its handlers see it, by context key. */
  static StreamEntry of(ObjectNode contexts, Instant at) {
    return new StreamEntry(StreamEntry.EVENT, at, contexts);
  }

  /** A context, or a preview of it where it is larger than is kept. */
  static JsonNode bounded(JsonNode context, int mostChars) {
    String text = context.toString();
    return text.length() <= mostChars
        ? context
        : JsonNodeFactory.instance.textNode(JsonPreview.cut(text, mostChars));
  }
}
