package dev.colony.agent.directory;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The agents of all colonies on a blackboard. An entry stands in its colony's scope, namespace
 * {@code agents}, under the agent's name, and is sent to the agent's inbox as it is made.
 * Thread-safe; stages fail as the blackboard does.
 */
public final class AgentDirectory {

  private static final String NAMESPACE = "agents";

  private final Blackboards blackboards;

  public AgentDirectory(Blackboards blackboards) {
    this.blackboards = blackboards;
  }

  /** The agent's entry, or empty if there is no such agent. One read. */
  public CompletionStage<Optional<DirectoryEntry>> find(AgentId agent) {
    return board(agent).read(agent.name()).thenApply(found -> found.map(DirectoryEntry::of));
  }

  /**
   * Enters an agent, has it started, and returns the entry that stands from now on: an earlier one
   * of the same blueprint stays, wherever its home is.
   *
   * <p>Fails with {@link AgentException} if the agent exists with another blueprint.
   *
   * @param unit the placement unit in which it is to live
   */
  public CompletionStage<DirectoryEntry> enter(AgentId agent, int unit, AgentBlueprint blueprint) {
    Write write = Write.of(agent.name(), DirectoryEntry.json(unit, blueprint)).ifAbsent();
    return board(agent)
        .send(write, agent.persistenceId())
        .thenCompose(result ->
            switch (result) {
              case WriteResult.Written written ->
                  CompletableFuture.completedStage(
                      new DirectoryEntry(
                          unit, blueprint, Instant.ofEpochMilli(written.position().millis())));
              case WriteResult.VersionConflict exists ->
                  find(agent).thenApply(found -> standing(agent, blueprint, found));
            });
  }

  /** Whether a request in an agent's inbox is its entry here, so that it has to be started. */
  public static boolean enters(InboxMessage.Request request) {
    Scope scope = request.scope();
    return scope.level() == ScopeLevel.COLONY
        && scope.namespace().equals(Optional.of(NAMESPACE))
        && request
            .recipient()
            .equals(scope.tenant() + "/" + scope.colony().orElseThrow() + "/" + request.key());
  }

  private static DirectoryEntry standing(
      AgentId agent, AgentBlueprint wanted, Optional<DirectoryEntry> found) {
    DirectoryEntry standing =
        found.orElseThrow(
            () -> new AgentException("the entry of " + agent + " has just vanished", null, true));
    if (!standing.blueprint().equals(wanted)) {
      throw AgentException.refused("agent " + agent + " exists with another blueprint");
    }
    return standing;
  }

  private Blackboard board(AgentId agent) {
    Scope scope = Scope.colony(agent.tenant(), agent.colony()).namespace(NAMESPACE);
    return blackboards.open(scope, "directory");
  }
}
