package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.ConditionFacts;
import dev.colony.agent.ResumptionCondition.Evaluation;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Evaluates the conditions of entered agents, and wakes those whose hold. */
record Evaluator(
    Blackboards blackboards,
    WaitIndex index,
    AwaitedWrites writes,
    ConditionFactsReader factsReader,
    Duration keepSignals) {

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

  /** Finds out what a condition speaks of. */
  record ConditionFactsReader(
      AgentDirectory directory, Predicate<PageId> resident, InstantSource clock) {

    /** What was found out for one condition. */
    private record Found(
        Set<AgentId> over,
        Predicate<PageId> pages,
        boolean room,
        Instant now,
        Set<ResumptionCondition> past)
        implements ConditionFacts {

      @Override
      public boolean ended(AgentId agent) {
        return over.contains(agent);
      }

      @Override
      public boolean resident(PageId page) {
        return pages.test(page);
      }

      @Override
      public boolean come(ResumptionCondition leaf) {
        return past.contains(leaf);
      }
    }

    Instant now() {
      return clock.instant();
    }

    CompletionStage<ConditionFacts> around(WaitIndexEntry entered, boolean room) {
      Set<AgentId> ended = new HashSet<>();
      CompletionStage<Void> looked = CompletableFuture.completedStage(null);
      for (ResumptionCondition.ChildrenCompleted children :
          entered.leaves(ResumptionCondition.ChildrenCompleted.class).toList()) {
        looked =
            looked.thenCompose(
                done -> directory.allEnded(children.agents(), ended).thenAccept(all -> {}));
      }
      return looked.thenApply(
          done -> new Found(ended, resident, room, clock.instant(), entered.come()));
    }
  }
}
