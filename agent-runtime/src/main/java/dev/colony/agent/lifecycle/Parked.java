package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentId;
import java.util.List;

/**
 * Why a run rests between two iterations, until an event comes or somebody ends the wait.
 *
 * @param idle whether it has nothing to do; otherwise it is blocked
 * @param reason why it is blocked, one line; empty for an idle one
 * @param blockingAgentIds the agents that it waits for
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Parked(boolean idle, String reason, List<AgentId> blockingAgentIds) {

  public Parked {
    reason = reason == null ? "" : reason;
    blockingAgentIds = blockingAgentIds == null ? List.of() : List.copyOf(blockingAgentIds);
  }
}
