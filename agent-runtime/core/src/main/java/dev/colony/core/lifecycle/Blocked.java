package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentId;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.SuspensionCause;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Why a run rests between two iterations, until an event comes or a caller ends the wait.
 *
 * @param idle whether it has nothing to do; otherwise it is blocked
 * @param reason why it is blocked, one line; empty for an idle one
 * @param blockingAgentIds the agents that it waits for
 * @param until what it waits for, where that is not just those agents
 * @param since when it began to
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Blocked(
    boolean idle,
    String reason,
    List<AgentId> blockingAgentIds,
    Optional<ResumptionCondition> until,
    Instant since) {

  public Blocked {
    reason = reason == null ? "" : reason;
    blockingAgentIds = blockingAgentIds == null ? List.of() : List.copyOf(blockingAgentIds);
    until = until == null ? Optional.empty() : until;
    since = since == null ? Instant.EPOCH : since;
  }

  /** What it waits for, other than writes and approvals; empty for nothing. */
  Optional<ResumptionCondition> condition() {
    return until.or(() ->
        blockingAgentIds.isEmpty()
            ? Optional.empty()
            : Optional.of(new ResumptionCondition.ChildrenCompleted(blockingAgentIds)));
  }

  /**
   * How to wait for the same without being in memory.
   *
   * @param overAt when the run's time is over
   * @param events whether writes that the agent handles end the wait
   */
  Intent.Suspend suspend(Instant overAt, boolean events) {
    ResumptionCondition over = new ResumptionCondition.At(overAt);
    ResumptionCondition any =
        condition()
            .<ResumptionCondition>map(own -> ResumptionCondition.any(own, over))
            .orElse(over);
    boolean asks = any.leaves().anyMatch(ResumptionCondition.Approved.class::isInstance);
    return new Intent.Suspend(
        asks ? SuspensionCause.APPROVAL : SuspensionCause.BLOCKED,
        reason,
        Optional.of(any),
        events);
  }
}
