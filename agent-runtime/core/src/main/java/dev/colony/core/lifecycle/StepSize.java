package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult.ModelUse;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What parts of a step's record leave of a number of bytes, about; negative if they take more. The
 * journal refuses a record that is too large and its agent with it, so that this is found out
 * before.
 */
public final class StepSize {

  private static final long ANY = Long.MAX_VALUE / 2;

  /** The tokens that a model was used for, with the names of all fields. */
  private static final int USE = 80;

  private StepSize() {}

  /** How many bytes a call takes. */
  static long of(ActionCall call) {
    return ANY - left(call, ANY);
  }

  static long left(ActionPolicyIterationResult result, long limitBytes) {
    long left = left(result.until(), left(result.blockingAgentIds(), limitBytes));
    return result.call().isPresent() ? left(result.call().get(), left) : left;
  }

  static long left(ActionCall call, long limitBytes) {
    long left = limitBytes - call.action().actionId().length() - call.action().key().length();
    left = JsonSize.left(call.action().params(), left);
    left = JsonSize.left(call.result().output(), left - call.result().error().length());
    for (ModelUse use : call.result().models()) {
      left -= use.model().length() + use.entry().length() + USE;
    }
    return left(call.result().until(), left(call.result().blockingAgentIds(), left));
  }

  private static long left(Optional<ResumptionCondition> until, long limitBytes) {
    return until.isEmpty() ? limitBytes : JsonSize.left(until.get().toJson(), limitBytes);
  }

  static long left(StepDelta delta, long limitBytes) {
    long left = JsonSize.left(delta.policy(), JsonSize.left(delta.custom(), limitBytes));
    for (Map.Entry<String, JsonNode> snapshot : delta.capabilities().entrySet()) {
      left = JsonSize.left(snapshot.getValue(), left - snapshot.getKey().length());
    }
    for (StreamAppend append : delta.streams()) {
      left = JsonSize.left(append.entry().content(), left - append.stream().length());
    }
    return left;
  }

  private static long left(List<AgentId> agents, long limitBytes) {
    long left = limitBytes;
    for (AgentId agent : agents) {
      left -= agent.persistenceId().length();
    }
    return left;
  }

  /** Tells large JSON values from small ones without writing them out. */
  public static final class JsonSize {

    private static final int PER_NODE_BYTES = 4;
    private static final long ANY = Long.MAX_VALUE / 2;

    private JsonSize() {}

    /** Whether a value takes more bytes than a limit, about; stops counting there. */
    public static boolean exceeds(JsonNode value, int limitBytes) {
      return left(value, limitBytes) < 0;
    }

    /** How many bytes a value takes, about. */
    static long of(JsonNode value) {
      return ANY - left(value, ANY);
    }

    /** What a value leaves of a number of bytes, about; negative if it takes more. */
    public static long left(JsonNode value, long limitBytes) {
      long left = limitBytes - PER_NODE_BYTES;
      if (value.isTextual()) {
        return left - value.textValue().length();
      }
      if (value.isBinary()) {
        return left - value.asText().length();
      }
      if (value.isObject()) {
        for (var field : value.properties()) {
          left = left(field.getValue(), left - field.getKey().length());
          if (left < 0) {
            return left;
          }
        }
        return left;
      }
      for (JsonNode element : value) {
        left = left(element, left);
        if (left < 0) {
          return left;
        }
      }
      return left;
    }
  }
}
