package dev.colony.agent.view;

import dev.colony.agent.AgentId;
import dev.colony.agent.suspension.ResumptionCondition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Why a run rests between two steps, until an event comes or a signal ends the wait.
 *
 * @param idle whether it has nothing to do; otherwise it waits for something
 * @param reason why it waits, one line; empty for an idle one
 * @param blockingAgentIds the agents that it waits for
 * @param until what it waits for, where that is not just those agents
 * @param since when it began to
 */
public record BlockedView(
    boolean idle,
    String reason,
    List<AgentId> blockingAgentIds,
    Optional<ResumptionCondition> until,
    Instant since) {

  public BlockedView {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(since, "since");
    blockingAgentIds = List.copyOf(blockingAgentIds);
  }
}
