package dev.colony.agent.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action.ActionCall;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes and reads the two stock kinds of entries. */
public final class StreamEntries {

  private static final String ACTION_KEY = "action_key";
  private static final String SUCCESS = "success";
  private static final String OUTPUT = "output_preview";
  private static final String ERROR = "error";
  private static final String REASONING = "reasoning";

  private StreamEntries() {}

  /**
   * What the handlers made of an event.
   *
   * @param contexts by context key
   */
  public static StreamEntry event(Instant at, Map<String, ? extends JsonNode> contexts) {
    ObjectNode content = JsonNodeFactory.instance.objectNode();
    new TreeMap<>(contexts).forEach(content::set);
    return new StreamEntry(StreamEntry.EVENT, at, content);
  }

  /** An action and what became of it. */
  public static StreamEntry action(Instant at, ActionCall call) {
    return action(at, call, Optional.empty());
  }

  /** The same with why it was chosen, as the model said it. */
  public static StreamEntry action(Instant at, ActionCall call, Optional<String> reasoning) {
    ObjectNode content = JsonNodeFactory.instance.objectNode();
    content.put(ACTION_KEY, call.action().key());
    content.put(SUCCESS, call.result().success());
    content.set(OUTPUT, call.result().output());
    if (!call.result().error().isEmpty()) {
      content.put(ERROR, call.result().error());
    }
    reasoning.ifPresent(why -> content.put(REASONING, why));
    return new StreamEntry(StreamEntry.ACTION, at, content);
  }

  public static String actionKey(StreamEntry entry) {
    return entry.content().path(ACTION_KEY).asText();
  }

  public static boolean success(StreamEntry entry) {
    return entry.content().path(SUCCESS).asBoolean();
  }

  public static JsonNode output(StreamEntry entry) {
    return entry.content().path(OUTPUT);
  }

  public static String error(StreamEntry entry) {
    return entry.content().path(ERROR).asText();
  }

  /** Why the action was chosen; empty where that is not known. */
  public static String reasoning(StreamEntry entry) {
    return entry.content().path(REASONING).asText();
  }
}
