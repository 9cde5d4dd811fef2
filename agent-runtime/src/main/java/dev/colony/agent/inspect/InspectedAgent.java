package dev.colony.agent.inspect;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.journal.LostLogs;
import dev.colony.agent.lifecycle.AgentSnapshot;
import java.util.Optional;

/**
 * An agent as its journal tells of it.
 *
 * @param events how many were journaled up to then
 * @param lost what the store has lost of the events behind these; the agent does nothing until an
 *     operator has decided about it
 */
public record InspectedAgent(
    AgentId id, AgentSnapshot snapshot, long events, Optional<LostLogs.Lost> lost) {

  /** One that has lost nothing. */
  public InspectedAgent(AgentId id, AgentSnapshot snapshot, long events) {
    this(id, snapshot, events, Optional.empty());
  }

  /** The run that its next step would belong to. */
  public Optional<RunId> openRun() {
    return snapshot.active().map(run -> snapshot.queue().getFirst().runId());
  }
}
