package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ConditionFacts;
import dev.colony.agent.ResumptionCondition.Evaluation;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.node.NodeBounds;
import dev.colony.vcm.PageId;
import dev.colony.vcm.store.InFlight;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What has to be done without anything having happened: looking at the times that have come, and
 * the sweep over all who wait. One of the cluster does it; two do no harm. Stages fail as the
 * blackboard does, and what failed is done by the next round.
 */
public record ResumptionRounds(
    NodeBounds.Resumption bounds,
    WaitIndex index,
    Evaluator evaluator,
    Evaluator.ConditionFactsReader factsReader) {

  /** Where a sweep goes on. */
  public record Place(int bucket, Optional<String> after) {

    /** Where a sweep begins. */
    public static final Place BEGINNING = new Place(0, Optional.empty());
  }

  /**
   * Wakes those whose times have come.
   *
   * @return the first time that has not come yet; empty if no suspension waits for one
   */
  public CompletionStage<Optional<Instant>> due() {
    Instant now = factsReader.now();
    return InFlight.map(
            IntStream.range(0, WaitIndexKeys.BUCKETS).boxed().toList(),
            WaitIndexKeys.BUCKETS,
            bucket -> due(bucket, now))
        .thenApply(next -> next.stream().flatMap(Optional::stream).min(Instant::compareTo));
  }

  private CompletionStage<Optional<Instant>> due(int bucket, Instant now) {
    return index
        .keys(bucket, WaitIndexKeys.TIME, Optional.empty(), bounds.batch())
        .thenCompose(page -> {
          List<String> keys = page.entries().stream().map(Entry::key).toList();
          List<String> due =
              keys.stream().filter(key -> !WaitIndexKeys.timeOf(key).isAfter(now)).toList();
          return wake(due, now)
              .thenCompose(done -> index.delete(bucket, due))
              .thenCompose(done ->
                  due.size() == keys.size() && page.next().isPresent()
                      ? due(bucket, now)
                      : CompletableFuture.completedStage(
                          keys.stream().skip(due.size()).findFirst().map(WaitIndexKeys::timeOf)));
        });
  }

  private CompletionStage<Void> wake(List<String> due, Instant now) {
    Set<WaitIndexKeys.SuspensionKey> waiters =
        due.stream().map(WaitIndexKeys::waiterOfTime).collect(Collectors.toSet());
    return index
        .find(waiters)
        .thenCompose(
            standing -> InFlight.map(standing, bounds.atOnce(), entered -> timesCame(entered, now)))
        .thenAccept(done -> {});
  }

  /**
   * Noted where it does not suffice: others' clocks may be behind, and this one may be set back.
   */
  private CompletionStage<?> timesCame(WaitIndexEntry entered, Instant now) {
    Set<ResumptionCondition> times =
        entered.leaves(At.class).filter(at -> !at.time().isAfter(now)).collect(Collectors.toSet());
    return evaluator
        .evaluate(entered.came(times), false)
        .thenCompose(woken ->
            woken > 0 || entered.woken()
                ? CompletableFuture.completedStage(null)
                : index
                    .change(entered.waiter(), it -> it.came(times))
                    // Who noted something else meanwhile may have taken these for still to come.
                    .thenCompose(noted ->
                        noted
                            .<CompletionStage<?>>map(it -> evaluator.evaluate(it, false))
                            .orElseGet(() -> CompletableFuture.completedStage(null))));
  }

  /**
   * Looks at some of those who wait, whatever they wait for, and wakes again who was woken long
   * ago.
   *
   * @return where to go on; empty at the end
   */
  public CompletionStage<Optional<Place>> sweep(Place from) {
    return index
        .keys(from.bucket(), WaitIndexKeys.AGENT, from.after(), bounds.batch())
        .thenCompose(page ->
            InFlight.map(page.entries(), bounds.atOnce(), this::look)
                .thenApply(done ->
                    page.next().isPresent()
                        ? Optional.of(new Place(from.bucket(), page.next()))
                        : Optional.of(new Place(from.bucket() + 1, Optional.<String>empty()))
                            .filter(next -> next.bucket() < WaitIndexKeys.BUCKETS)));
  }

  private CompletionStage<?> look(Entry entry) {
    WaitIndexEntry entered = WaitIndexEntry.of(entry);
    if (!entered.woken()) {
      // Not the events: what tells of one is in the inbox until it has been noted.
      return evaluator.evaluate(entered, false);
    }
    return entry.updatedAt().plus(bounds.repeatAfter()).isAfter(factsReader.now())
        ? CompletableFuture.completedStage(null)
        : evaluator.wake(entered);
  }

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
}
