package dev.colony.node.resumption;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.blackboard.Entry;
import dev.colony.node.NodeBounds;
import dev.colony.vcm.store.InFlight;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
}
