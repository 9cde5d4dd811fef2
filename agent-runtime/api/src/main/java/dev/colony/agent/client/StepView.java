package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.client.AgentView.BlockedView;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A completed step.
 *
 * @param sequenceNr of the event that ended it
 * @param runId that it belongs to; empty where the journal does not tell
 * @param step counted from 0 within its run
 * @param at when it ended, by the clock of the node that journaled it
 * @param tookMillis since the record before it, so about as long as its last model call or its
 *     action; empty for the first record that is read
 * @param actions its actions and what became of them, in the order in which they ended
 * @param usage tokens of its model calls, those within its actions included
 * @param cost of those tokens, in the unit of the node's prices; in JSON as text, since readers of
 *     JSON have doubles only
 * @param models that answered these calls, as {@link InferenceReply#answeredBy} has it, each once
 * @param blocked why the run waited after it
 * @param error what went wrong in it
 */
@JsonTypeName("step-completed")
public record StepView(
    long sequenceNr,
    Optional<RunId> runId,
    int step,
    Instant at,
    Optional<Long> tookMillis,
    List<ActionView> actions,
    int modelCalls,
    Usage usage,
    BigDecimal cost,
    List<String> models,
    Optional<BlockedView> blocked,
    Optional<ErrorContext> error)
    implements HistoryEntry {

  public StepView {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(cost, "cost");
    actions = actions == null ? List.of() : List.copyOf(actions);
    models = models == null ? List.of() : List.copyOf(models);
  }

  @Override
  public Optional<RunId> run() {
    return runId;
  }

  public StepView run(Optional<RunId> other) {
    return new StepView(
        sequenceNr,
        other,
        step,
        at,
        tookMillis,
        actions,
        modelCalls,
        usage,
        cost,
        models,
        blocked,
        error);
  }

  /**
   * An action of a step and what became of it.
   *
   * @param actionId names it within its run
   * @param key which action of which capability
   * @param output what it returned; JSON null where it did not succeed; where it is too large for
   *     the journal, a preview, the whole being at {@code stored}
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
}
