package dev.colony.node.resumption;

import dev.colony.agent.suspension.Evaluation;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.AgentSignal;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Evaluates the conditions of entered agents, and wakes those whose hold. */
final class Evaluator {

  private final Blackboards blackboards;
  private final WaitIndex index;
  private final AwaitedWrites writes;
  private final ConditionFactsReader factsReader;
  private final Duration keepSignals;

  Evaluator(
      Blackboards blackboards,
      WaitIndex index,
      AwaitedWrites writes,
      ConditionFactsReader factsReader,
      Duration keepSignals) {
    this.blackboards = blackboards;
    this.index = index;
    this.writes = writes;
    this.factsReader = factsReader;
    this.keepSignals = keepSignals;
  }

  /**
   * Wakes the agent if its condition holds.
   *
   * @param capacity whether there is capacity for it
   * @return 1 if it was woken; 0 also where it was woken before
   */
  CompletionStage<Integer> evaluate(WaitIndexEntry entered, boolean room) {
    return entered.woken()
        ? CompletableFuture.completedStage(0)
        : holds(entered, room)
            .thenCompose(holds ->
                holds ? wake(entered).thenApply(done -> 1) : CompletableFuture.completedStage(0));
  }

  /** Whether the condition holds, also where the agent was woken already. */
  CompletionStage<Boolean> holds(WaitIndexEntry entered, boolean room) {
    return factsReader
        .around(entered, room)
        .thenApply(facts -> Evaluation.holds(entered.until(), facts));
  }

  /** The same, after looking whether any of its events has come. */
  CompletionStage<Integer> review(WaitIndexEntry entered) {
    return writes
        .come(entered, entered.missing().toList())
        .thenCompose(come ->
            come.isEmpty()
                ? CompletableFuture.completedStage(Optional.of(entered))
                : index.change(entered.waiter(), it -> it.came(come)))
        .thenCompose(known ->
            known
                .map(it -> evaluate(it, false))
                .orElseGet(() -> CompletableFuture.completedStage(0)));
  }

  /** Done when what wakes it is stored, and that it is woken is noted. */
  CompletionStage<Void> wake(WaitIndexEntry entered) {
    AgentSignal.ConditionMet met =
        new AgentSignal.ConditionMet(entered.agent(), entered.suspension(), Resumptions.MET);
    return blackboards
        .open(met.scope(), "resumption")
        .send(met.write().ttl(keepSignals), entered.agent().persistenceId())
        .thenCompose(sent -> index.woken(entered));
  }
}
