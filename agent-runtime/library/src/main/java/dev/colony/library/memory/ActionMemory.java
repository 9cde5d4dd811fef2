package dev.colony.library.memory;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/** What is remembered of an action: what was done with what, and what came of it. */
final class ActionMemory {

  /** The kind of such memories, and a tag that they carry. */
  static final String KIND = "action";

  private static final double SUCCESS = 0.3;

  /** What went wrong is worth remembering longer than what went as planned. */
  private static final double FAILURE = 0.6;

  private ActionMemory() {}

  /** The same note for every execution of one action. */
  static Note of(ExecutionContext context, Action action, ActionResult result) {
    String outcome = result.status().name().toLowerCase(Locale.ROOT);
    String came = result.success() ? text(result.output()) : outcome + ": " + result.error();
    return new Note(
        id(context.run() + "/" + action.actionId()),
        KIND,
        action.key() + " " + action.params() + " -> " + came,
        action.key().length() <= 128 ? Set.of(KIND, outcome, action.key()) : Set.of(KIND, outcome),
        result.success() ? SUCCESS : FAILURE);
  }

  /** A name that may stand in a key, the same for the same text. */
  static String id(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private static String text(JsonNode output) {
    return output.isTextual() ? output.textValue() : output.toString();
  }
}
