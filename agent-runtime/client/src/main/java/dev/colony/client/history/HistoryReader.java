package dev.colony.client.history;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a node reads of agents' journals other than to recover them. */
@FunctionalInterface
public interface HistoryReader {

  /** An agent's state right after one of its events. Fails as the journal does. */
  CompletionStage<Replayed> replay(AgentId agent, long sequenceNr);

  /** A run that has ended, as it was asked for. */
  record Ended(RunRequest request, AgentRun run) {}

  /**
   * The runs whose results were published behind one of the agent's events, by the events that are
   * still there, in their order; without those whose acceptance is no longer there. Fails as the
   * journal does. Cost: all events.
   */
  default CompletionStage<List<Ended>> ended(AgentId agent, long behind) {
    return CompletableFuture.completedStage(List.of());
  }
}
