package dev.colony.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.Event;
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
 * Where what a condition waits for begins: at the end of the scopes when the caller decides to
 * wait. So no write is missed that comes before the suspension is entered, and no answer counts
 * that was given to what was asked for before under the same name.
 */
public final class StartPositions {

  private StartPositions() {}

  /**
   * The condition with each event and approval that does not say after which position beginning at
   * what is the end of its scope now; the same object where there is none. One read per scope.
   * Fails as the blackboard does.
   *
   * @param agent that is to wait
   */
  public static CompletionStage<ResumptionCondition> anchored(
      Blackboards blackboards, AgentId agent, ResumptionCondition condition) {
    return anchored(
        blackboards, condition, leaf -> ofEvent(leaf).or(() -> ofApproval(leaf, agent)));
  }

  /** The same of the events only. */
  public static CompletionStage<ResumptionCondition> ofEvents(
      Blackboards blackboards, ResumptionCondition condition) {
    return anchored(blackboards, condition, StartPositions::ofEvent);
  }

  /**
   * @param open in whose order a part has to say where it begins, if it does not
   */
  private static CompletionStage<ResumptionCondition> anchored(
      Blackboards blackboards,
      ResumptionCondition condition,
      Function<ResumptionCondition, Optional<Scope>> open) {
    Map<Scope, CompletableFuture<Position>> heads =
        condition
            .leaves()
            .flatMap(leaf -> open.apply(leaf).stream())
            .distinct()
            .collect(Collectors.toMap(Function.identity(), scope -> head(blackboards, scope)));
    if (heads.isEmpty()) {
      return CompletableFuture.completedStage(condition);
    }
    return CompletableFuture.allOf(heads.values().toArray(CompletableFuture[]::new))
        .thenApply(known ->
            condition.withLeaves(leaf ->
                open.apply(leaf)
                    .map(scope -> beginning(leaf, heads.get(scope).join()))
                    .orElse(leaf)));
  }

  private static Optional<Scope> ofEvent(ResumptionCondition leaf) {
    return leaf instanceof Event event && event.after().isEmpty()
        ? Optional.of(event.scope())
        : Optional.empty();
  }

  private static Optional<Scope> ofApproval(ResumptionCondition leaf, AgentId agent) {
    return leaf instanceof Approved approved && approved.after().isEmpty()
        ? Optional.of(agent.scope())
        : Optional.empty();
  }

  private static ResumptionCondition beginning(ResumptionCondition leaf, Position after) {
    return leaf instanceof Event event
        ? new Event(event.scope(), event.pattern(), Optional.of(after))
        : new Approved(((Approved) leaf).request(), Optional.of(after));
  }

  private static CompletableFuture<Position> head(Blackboards blackboards, Scope scope) {
    return blackboards
        .open(scope, "anchor")
        .statistics()
        .thenApply(ScopeStatistics::head)
        .toCompletableFuture();
  }
}
