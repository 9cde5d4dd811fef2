package dev.colony.agent.client;

import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.ResumptionCondition.Event;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Where the writes begin that a condition waits for: at the end of their scopes when somebody
 * decides to wait, not when the suspension is at last entered, so that none between them is missed.
 */
public final class EventAnchors {

  private EventAnchors() {}

  /**
   * The condition with each event that does not say after which position beginning at what is the
   * end of its scope now; the same object where there is none. Fails as the blackboard does.
   */
  public static CompletionStage<ResumptionCondition> anchored(
      Blackboards blackboards, ResumptionCondition condition) {
    Map<Scope, CompletableFuture<Position>> heads =
        condition
            .leaves()
            .filter(EventAnchors::open)
            .map(leaf -> ((Event) leaf).scope())
            .distinct()
            .collect(Collectors.toMap(Function.identity(), scope -> head(blackboards, scope)));
    if (heads.isEmpty()) {
      return CompletableFuture.completedStage(condition);
    }
    return CompletableFuture.allOf(heads.values().toArray(CompletableFuture[]::new))
        .thenApply(known -> condition.withLeaves(leaf -> anchored(leaf, heads)));
  }

  private static boolean open(ResumptionCondition leaf) {
    return leaf instanceof Event event && event.after().isEmpty();
  }

  private static ResumptionCondition anchored(
      ResumptionCondition leaf, Map<Scope, CompletableFuture<Position>> heads) {
    return leaf instanceof Event event && event.after().isEmpty()
        ? new Event(event.scope(), event.pattern(), Optional.of(heads.get(event.scope()).join()))
        : leaf;
  }

  private static CompletableFuture<Position> head(Blackboards blackboards, Scope scope) {
    return blackboards
        .open(scope, "anchor")
        .statistics()
        .thenApply(ScopeStatistics::head)
        .toCompletableFuture();
  }
}
