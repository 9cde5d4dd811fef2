package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult.ModelUse;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.step.StepDelta;
import dev.colony.agent.step.StreamAppend;
import dev.colony.agent.suspension.ResumptionCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What parts of a step's record leave of a number of bytes, about; negative if they take more. The
 * journal refuses a record that is too large and its agent with it, so that this is found out
 * before.
 */
final class StepSize {

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
}
