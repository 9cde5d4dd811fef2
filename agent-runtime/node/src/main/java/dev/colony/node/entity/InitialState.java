package dev.colony.node.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.ListedAgent;
import dev.colony.client.directory.Origin;
import dev.colony.client.history.HistoryReader;
import dev.colony.client.history.Replayed;
import dev.colony.core.lifecycle.ForkSeed;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Finds out what an agent is whose journal is empty. Thread-safe. */
final class InitialState {

  private final AgentDirectory directory;
  private final HistoryReader reader;

  InitialState(AgentDirectory directory, HistoryReader reader) {
    this.directory = directory;
    this.reader = reader;
  }

  /**
   * What the directory says of it, with what it inherits if it is a fork; without a blueprint if
   * the directory does not know it. Fails with {@link AgentException} if it has ended or its
   * origin's past is not there any more, and as blackboard and journal do.
   */
  CompletionStage<AgentMessage.TakeOver> of(AgentId agent) {
    return directory
        .look(agent)
        .thenCompose(found ->
            found
                .map(InitialState::alive)
                .map(this::of)
                .orElseGet(() -> CompletableFuture.completedStage(AgentMessage.TakeOver.UNSAID)));
  }

  /** One that has ended has had a journal: it is being purged, and does not begin anew. */
  private static DirectoryEntry alive(ListedAgent found) {
    if (found.status().state().terminal()) {
      throw AgentException.refused(
          "agent %s is %s, and what it left is being deleted"
              .formatted(found.id(), found.status().state()));
    }
    return found.entry();
  }

  private CompletionStage<AgentMessage.TakeOver> of(DirectoryEntry entry) {
    CompletionStage<Optional<ForkSeed>> forkSeed =
        entry
            .origin()
            .map(origin -> inherited(origin).thenApply(Optional::of))
            .orElseGet(() -> CompletableFuture.completedStage(Optional.empty()));
    return forkSeed.thenApply(
        inherited -> new AgentMessage.TakeOver(Optional.of(entry.original()), inherited));
  }

  private CompletionStage<ForkSeed> inherited(Origin origin) {
    return reader
        .replay(origin.agent(), origin.sequenceNr())
        .thenApply(replayed ->
            switch (replayed) {
              case Replayed.State state ->
                  ForkSeed.of(origin.agent(), origin.sequenceNr(), state.snapshot());
              case Replayed.Missing missing ->
                  throw AgentException.refused(
                      "it cannot be forked any more: " + missing.why().words());
            });
  }
}
