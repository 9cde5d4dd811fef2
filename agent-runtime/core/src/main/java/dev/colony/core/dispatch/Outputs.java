package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.schema.JsonValues;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** What actions return: measured, and kept on the blackboard where it is too large for a record. */
final class Outputs {

  /** The part of the agent's scope in which large outputs stand. */
  static final String NAMESPACE = "results";

  private final Blackboard board;
  private final DispatchSettings settings;

  Outputs(Agent agent, DispatchSettings settings) {
    this.board = agent.blackboard(agent.id().scope().namespace(NAMESPACE));
    this.settings = settings;
  }

  /**
   * What a method has returned as the action's result; a stage is awaited. Runs on the action's own
   * thread, since writing an object as JSON calls the object's code.
   *
   * @throws Exception of the stage, or because the output is too large, has no JSON form or breaks
   *     one of the {@link ValueRules}
   */
  Ending.Returned measured(String actionId, Object returned) throws Exception {
    Object value = returned instanceof CompletionStage<?> stage ? Waiting.on(stage) : returned;
    if (!(value instanceof ActionResult of)) {
      byte[] text = text(value);
      return new Ending.Returned(ActionResult.succeeded(actionId, read(text)), text.length);
    }
    byte[] text = text(of.output());
    ActionResult result =
        new ActionResult(
            actionId,
            of.status(),
            read(text),
            Failure.line(of.error()),
            Optional.empty(),
            of.blockingAgentIds(),
            of.until(),
            of.usage(),
            of.models());
    return new Ending.Returned(result, text.length);
  }

  private byte[] text(Object value) throws IOException {
    BoundedText text = new BoundedText(settings.maxOutputBytes());
    try {
      JsonValues.write(value, text);
    } catch (JsonMappingException wrapped) {
      if (wrapped.getCause() instanceof BoundedText.TooLong tooLong) {
        throw tooLong;
      }
      throw new IllegalArgumentException(
          "the output cannot be written as JSON: " + wrapped.getOriginalMessage(), wrapped);
    }
    return text.bytes();
  }

  private static JsonNode read(byte[] text) throws IOException {
    return text.length == 0
        ? JsonNodeFactory.instance.nullNode()
        : ValueRules.check("the output", JsonValues.parse(text));
  }

  /** The result as it goes into the step's record. Blocks while a large output is stored. */
  ActionResult kept(RunId run, Ending.Returned returned) throws Exception {
    ActionResult result = returned.result();
    if (returned.bytes() <= settings.inlineOutputBytes()) {
      return result;
    }
    String key = run.value() + ":" + result.actionId();
    Waiting.on(board.write(Write.of(key, result.output()).ttl(settings.keep())));
    return result.stored(key, preview(result.output()));
  }

  private JsonNode preview(JsonNode output) {
    String text = output.isTextual() ? output.textValue() : output.toString();
    return TextNode.valueOf(Text.head(text, settings.previewChars()) + "...");
  }

  /** A large output; empty if it is not there any more. Blocks. */
  Optional<JsonNode> stored(String key) throws Exception {
    return Waiting.on(board.read(key)).map(Entry::value);
  }
}
