package dev.colony.client.history;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.view.ForkReply;
import dev.colony.agent.view.StateAt;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.directory.Origin;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes agents that begin with another's past. A fork has the memory of its origin as it was after
 * an event, and its first run begins with the actions and the policy's entries of the run that was
 * open there. It has nothing of what was under way: no runs, intents, waits, children, approvals,
 * suspension; and keys of its own for whatever it does to the world. The origin notices nothing.
 *
 * <p>What is written here is the directory entry, which names the origin; the fork reads the past
 * itself when it is first started, and keeps it in its own journal from then on. Thread-safe;
 * stages fail as the blackboard and the journal do.
 */
public final class Forking {

  private final AgentDirectory directory;
  private final AgentHistory history;
  private final HomeResolver homes;

  /**
   * @param homes where new agents are to live
   */
  public Forking(AgentDirectory directory, AgentHistory history, HomeResolver homes) {
    this.directory = directory;
    this.history = history;
    this.homes = homes;
  }

  /**
   * Forks an agent and has the fork started. Asking for the same again changes nothing and is
   * answered as the first time.
   *
   * @param sequenceNr of the last event of the origin that is inherited, from 1
   */
  public CompletionStage<ForkReply> fork(AgentId origin, long sequenceNr, AgentId fork) {
    if (!origin.tenant().equals(fork.tenant()) || !origin.colony().equals(fork.colony())) {
      return CompletableFuture.completedStage(new ForkReply.OtherColony(fork, origin));
    }
    Origin wanted = new Origin(origin, sequenceNr);
    return directory
        .find(fork)
        .thenCompose(standing ->
            standing.isPresent()
                ? CompletableFuture.completedStage(reply(standing.get(), fork, wanted))
                : make(wanted, fork));
  }

  private CompletionStage<ForkReply> make(Origin origin, AgentId fork) {
    return history
        .at(origin.agent(), origin.sequenceNr())
        .thenCompose(state ->
            switch (state) {
              case StateAt.Known known -> enter(origin, fork, known.agent().blueprint());
              case StateAt.Missing missing ->
                  CompletableFuture.completedStage(new ForkReply.NoSuchPast(missing));
            });
  }

  private CompletionStage<ForkReply> enter(Origin origin, AgentId fork, AgentBlueprint blueprint) {
    return directory
        .fork(fork, homes.homeOf(fork, blueprint), blueprint, origin)
        .thenApply(standing -> reply(standing, fork, origin));
  }

  private static ForkReply reply(DirectoryEntry standing, AgentId fork, Origin wanted) {
    return standing.origin().equals(Optional.of(wanted))
        ? new ForkReply.Forked(fork, wanted.agent(), wanted.sequenceNr())
        : new ForkReply.Taken(fork);
  }
}
