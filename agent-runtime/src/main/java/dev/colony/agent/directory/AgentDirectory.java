package dev.colony.agent.directory;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The agents of all colonies on a blackboard. An entry stands in its colony's scope, namespace
 * {@code agents}, under the agent's name. Thread-safe; stages fail as the blackboard does.
 */
public final class AgentDirectory {

  private static final String NAMESPACE = "agents";

  private final Blackboards blackboards;

  public AgentDirectory(Blackboards blackboards) {
    this.blackboards = blackboards;
  }

  /** The agent's entry, or empty if there is no such agent. One read. */
  public CompletionStage<Optional<DirectoryEntry>> find(AgentId agent) {
    return board(agent)
        .read(agent.name())
        .thenApply(entry -> entry.map(Entry::value).map(DirectoryEntry::fromJson));
  }

  /**
   * Enters an agent and returns the entry that stands from now on: an earlier one of the same
   * blueprint stays, wherever its home is.
   *
   * <p>Fails with {@link AgentException} if the agent exists with another blueprint.
   */
  public CompletionStage<DirectoryEntry> enter(AgentId agent, DirectoryEntry entry) {
    Write write = Write.of(agent.name(), entry.toJson()).ifAbsent();
    return board(agent)
        .write(write)
        .thenCompose(result ->
            switch (result) {
              case WriteResult.Written written -> CompletableFuture.completedStage(entry);
              case WriteResult.VersionConflict exists ->
                  find(agent).thenApply(found -> standing(agent, entry, found));
            });
  }

  private static DirectoryEntry standing(
      AgentId agent, DirectoryEntry wanted, Optional<DirectoryEntry> found) {
    DirectoryEntry standing =
        found.orElseThrow(
            () -> new AgentException("the entry of " + agent + " has just vanished", null, true));
    if (!standing.blueprint().equals(wanted.blueprint())) {
      throw AgentException.refused("agent " + agent + " exists with another blueprint");
    }
    return standing;
  }

  private Blackboard board(AgentId agent) {
    Scope scope = Scope.colony(agent.tenant(), agent.colony()).namespace(NAMESPACE);
    return blackboards.open(scope, "directory");
  }
}
