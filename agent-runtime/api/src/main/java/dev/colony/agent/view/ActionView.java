package dev.colony.agent.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.inference.Usage;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An action of a step and what became of it.
 *
 * @param actionId names it within its run
 * @param key which action of which capability
 * @param output what it returned; JSON null where it did not succeed; where it is too large for the
 *     journal, a preview, the whole being at {@code stored}
 * @param error why it did not succeed, one line
 * @param stored the key, in the namespace {@code results} of the agent's own scope, of an output
 *     that is too large for the journal
 * @param blockingAgentIds the agents that a blocked action waits for
 * @param until what a blocked action waits for, where that is not just those agents
 * @param usage tokens of the model calls that it made
 */
public record ActionView(
    String actionId,
    String key,
    JsonNode parameters,
    ActionResult.Status status,
    JsonNode output,
    Optional<String> error,
    Optional<String> stored,
    List<AgentId> blockingAgentIds,
    Optional<ResumptionCondition> until,
    Usage usage) {

  public ActionView {
    Objects.requireNonNull(actionId, "actionId");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(parameters, "parameters");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(usage, "usage");
    // Jackson reads JSON null as none.
    output = output == null ? JsonNodeFactory.instance.nullNode() : output;
    blockingAgentIds = List.copyOf(blockingAgentIds);
  }

  /** What a policy sees of the same. */
  public static ActionView of(ActionCall call) {
    ActionResult result = call.result();
    return new ActionView(
        call.action().actionId(),
        call.action().key(),
        call.action().params(),
        result.status(),
        result.output(),
        Optional.of(result.error()).filter(why -> !why.isEmpty()),
        result.stored(),
        result.blockingAgentIds(),
        result.until(),
        result.usage());
  }

  public boolean success() {
    return status == ActionResult.Status.SUCCEEDED;
  }

  public boolean blocked() {
    return status == ActionResult.Status.BLOCKED;
  }
}
