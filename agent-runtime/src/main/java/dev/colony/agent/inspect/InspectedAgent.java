package dev.colony.agent.inspect;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.lifecycle.AgentSnapshot;
import java.util.Optional;

/**
 * An agent as its journal tells of it.
 *
 * @param events how many were journaled up to then
 */
public record InspectedAgent(AgentId id, AgentSnapshot snapshot, long events) {

  /** The run that its next step would belong to. */
  public Optional<RunId> openRun() {
    return snapshot.active().map(run -> snapshot.queue().getFirst().runId());
  }
}
