package dev.colony.server.agents;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.client.RunPlace;
import dev.colony.client.StoredRun;
import java.util.List;
import java.util.Optional;

/** Finds the namespace in which a run stands, among those of its agent. Blocks. */
final class RunSearch {

  private static final int AT_ONCE = 100;

  /** No name comes before it. */
  private static final String FIRST = "-";

  private RunSearch() {}

  static Optional<String> of(Blackboards blackboards, AgentId agent, RunId run) {
    Scope from = agent.scope().namespace(FIRST);
    Optional<String> found =
        stands(blackboards, from, agent, run) ? from.namespace() : Optional.empty();
    while (found.isEmpty()) {
      List<Scope> page =
          blackboards.scopes(Optional.of(from), AT_ONCE).toCompletableFuture().join();
      List<Scope> own = page.stream().filter(scope -> isOf(agent, scope)).toList();
      found =
          own.stream()
              .filter(scope -> stands(blackboards, scope, agent, run))
              .flatMap(scope -> scope.namespace().stream())
              .findFirst();
      if (own.size() < AT_ONCE) {
        break;
      }
      from = own.getLast();
    }
    return found;
  }

  private static boolean isOf(AgentId agent, Scope scope) {
    return scope
        .namespace()
        .filter(name -> agent.scope().namespace(name).equals(scope))
        .isPresent();
  }

  private static boolean stands(Blackboards blackboards, Scope scope, AgentId agent, RunId run) {
    RunPlace place = RunPlace.of(agent, scope.namespace().orElseThrow(), run);
    return !StoredRun.read(place, blackboards.open(scope, "cli"))
        .toCompletableFuture()
        .join()
        .gone();
  }
}
