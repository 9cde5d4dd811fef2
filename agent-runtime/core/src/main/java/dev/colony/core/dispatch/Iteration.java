package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.StepJournal;
import dev.colony.core.dispatch.RefResolver.Variables;
import java.util.Map;
import java.util.Optional;

/**
 * What one iteration brings along. Actions that are executed at once come to the policy's entries
 * one after the other.
 *
 * @param performed the actions of several that have ended in it, by their ids
 */
record Iteration(
    ActionPolicyExecutionState state, StepJournal journal, Map<String, ActionCall> performed) {

  /** A copy of a value with its references resolved, as {@link RefResolver} does it. */
  JsonNode resolved(Agent agent, Outputs outputs, JsonNode value) throws Exception {
    return new RefResolver(agent, state, custom(), this::call, outputs).resolve(value);
  }

  private Optional<ActionCall> call(String actionId) {
    return Optional.ofNullable(performed.get(actionId)).or(() -> state.history().call(actionId));
  }

  private synchronized ObjectNode custom() {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    copy.setAll(state.custom());
    return copy;
  }

  /** What stands in the way of an action that a person has to approve. */
  synchronized Optional<ActionResult> bars(String name, Action action) {
    return ApprovalGate.bars(state, name, action);
  }

  /** Keeps a result under the names that the action writes. */
  synchronized void write(ActionDescription action, ActionResult result) {
    Variables.write(state.custom(), action, result);
  }
}
