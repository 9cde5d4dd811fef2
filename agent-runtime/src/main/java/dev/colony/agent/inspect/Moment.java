package dev.colony.agent.inspect;

import dev.colony.agent.RunId;
import dev.colony.agent.lifecycle.AgentEvent;
import java.time.Instant;
import java.util.Optional;

/**
 * What befell an agent beside its steps: it was spawned, forked, taken over by a node, moved to
 * another state; a run was accepted, cancelled, ended; a person answered.
 *
 * @param event as it was journaled
 */
public record Moment(long sequenceNr, AgentEvent event) implements HistoryEntry {

  @Override
  public Instant at() {
    return event.at();
  }

  @Override
  public Optional<RunId> run() {
    return switch (event) {
      case AgentEvent.RunAccepted accepted -> Optional.of(accepted.request().runId());
      case AgentEvent.RunCompleted completed -> Optional.of(completed.run().runId());
      case AgentEvent.CancelRequested cancelled -> Optional.of(cancelled.runId());
      default -> Optional.empty();
    };
  }
}
