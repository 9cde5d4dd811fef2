package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.client.StartPositions;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.node.NodeBounds;
import dev.colony.node.resumption.ResumptionRounds.Evaluator;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.node.resumption.WaitIndex.References;
import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.store.InFlight;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Suspended agents and what they wait for, on a blackboard.
 *
 * <p>The problem is not to lose a wake-up, whichever node dies when. An agent is entered first,
 * then it is put where what it waits for is looked up, then its condition is evaluated: what
 * happens before that is seen by the evaluation, what happens after it finds the agent. Who is told
 * that something has happened was told durably (by a message that is redelivered, by work that is
 * repeated), so that it is evaluated again where the evaluator has died. What wakes the agent is
 * stored before it is noted that the agent is woken, and the agent stays entered until it has gone
 * on. So a death at any point leads to a second wake-up at worst, which the agent refuses by the
 * suspension's number. Whatever is missed nevertheless, the sweep finds.
 */
public final class BlackboardResumptions implements Resumptions {

  private final Blackboards blackboards;
  private final NodeBounds.Resumption bounds;
  private final Duration earlySignals;
  private final CapacityQueue.WaitOrder order;
  private final Consumer<Instant> timed;
  private final Evaluator.ConditionFactsReader factsReader;
  private final WaitIndex index;
  private final References references;
  private final AwaitedWrites writes;
  private final Evaluator evaluator;

  /**
   * @param earlySignals how long before a suspension a signal may come that counts for it
   * @param resident whether a page is in some replica's cache, as far as is known here
   * @param order in which those who wait for room stand
   * @param timed is told, on any thread, of times that agents are entered with
   */
  public BlackboardResumptions(
      Blackboards blackboards,
      NodeBounds.Resumption bounds,
      Duration earlySignals,
      Predicate<PageId> resident,
      CapacityQueue.WaitOrder order,
      InstantSource clock,
      Consumer<Instant> timed) {
    this.blackboards = blackboards;
    this.bounds = bounds;
    this.earlySignals = earlySignals;
    this.order = order;
    this.timed = timed;
    this.factsReader =
        new Evaluator.ConditionFactsReader(new AgentDirectory(blackboards), resident, clock);
    this.index = new WaitIndex(blackboards, bounds.keepSignals());
    this.references = new References(index);
    this.writes = new AwaitedWrites(blackboards);
    this.evaluator = new Evaluator(blackboards, index, writes, factsReader, bounds.keepSignals());
  }

  public ResumptionRounds rounds() {
    return new ResumptionRounds(bounds, index, evaluator, factsReader);
  }

  public CapacityQueue room() {
    return new BlackboardCapacityQueue(index);
  }

  @Override
  public CompletionStage<Void> enter(AgentId agent, Suspension suspension) {
    if (suspension.until().isEmpty()) {
      return leave(agent, suspension.number());
    }
    ResumptionCondition until = suspension.until().get();
    return StartPositions.ofEvents(blackboards, until)
        .thenCombine(
            rank(agent, suspension, until),
            (anchored, rank) ->
                WaitIndexEntry.of(
                        new WaitIndexKeys.SuspensionKey(agent, suspension.number()), anchored)
                    .ranked(rank))
        .thenCompose(fresh -> index.enter(fresh, suspension.at().minus(earlySignals)))
        .thenCompose(standing ->
            each(standing.replaced(), this::forget)
                .thenCompose(done -> each(standing.entered(), this::settle)));
  }

  private CompletionStage<OptionalLong> rank(
      AgentId agent, Suspension suspension, ResumptionCondition until) {
    return until.leaves().anyMatch(ResumptionCondition.ResourceAvailable.class::isInstance)
        ? order.rank(agent, suspension).thenApply(OptionalLong::of)
        : CompletableFuture.completedStage(OptionalLong.empty());
  }

  private CompletionStage<Void> settle(WaitIndexEntry entered) {
    entered
        .leaves(ResumptionCondition.At.class)
        .map(ResumptionCondition.At::time)
        .min(Instant::compareTo)
        .ifPresent(timed);
    return WaitIndex.all(List.of(references.add(entered), writes.watch(entered)))
        .thenCompose(done -> evaluator.review(entered))
        .thenAccept(woken -> {});
  }

  @Override
  public CompletionStage<Void> leave(AgentId agent, long suspension) {
    return index
        .take(agent, suspension)
        .thenCompose(left ->
            each(
                left,
                // The entry says where else it has to be forgotten, and so goes last.
                gone -> forget(gone).thenCompose(done -> index.remove(gone))));
  }

  private CompletionStage<Void> forget(WaitIndexEntry gone) {
    return WaitIndex.all(List.of(references.remove(gone), writes.forget(gone)));
  }

  @Override
  public CompletionStage<Integer> happened(Trigger trigger) {
    return switch (trigger) {
      case Trigger.AgentEnded ended ->
          wake(List.of(References.Place.of(WaitIndexKeys.ended(ended.agent()))))
              .thenCompose(woken -> leave(ended.agent(), Long.MAX_VALUE).thenApply(done -> woken));
      case Trigger.PagesArrived arrived ->
          Parallel.batches(List.copyOf(arrived.pages()), bounds.batch()).stream()
              .reduce(
                  CompletableFuture.completedStage(0),
                  (before, pages) ->
                      before.thenCompose(sum -> arrived(pages).thenApply(more -> sum + more)),
                  (one, other) -> one.thenCombine(other, Integer::sum));
      case Trigger.CapacityFreed made ->
          index.find(made.agent()).thenCompose(found -> evaluate(found, true));
      case Trigger.Told told ->
          ending(told)
              .thenCompose(ending ->
                  ending
                      .filter(it -> !it.woken())
                      .map(it -> evaluator.wake(it).thenApply(done -> 1))
                      .orElseGet(() -> CompletableFuture.completedStage(0)));
    };
  }

  @Override
  public CompletionStage<OptionalLong> due(Trigger.Told told) {
    return ending(told)
        .thenApply(ending ->
            ending.map(it -> OptionalLong.of(it.suspension())).orElseGet(OptionalLong::empty));
  }

  /** Whose suspension ends by it, which is not noted then. */
  private CompletionStage<Optional<WaitIndexEntry>> ending(Trigger.Told told) {
    return switch (told) {
      case Trigger.Signalled signalled -> {
        ResumptionCondition.Custom leaf = new ResumptionCondition.Custom(signalled.name());
        yield ending(
            signalled.agent(),
            leaf::equals,
            Write.value(WaitIndexKeys.early(signalled.agent(), leaf), 1));
      }
      case Trigger.Approved approved -> {
        ResumptionCondition.Approved leaf = new ResumptionCondition.Approved(approved.request());
        yield ending(
            approved.agent(),
            part ->
                part instanceof ResumptionCondition.Approved asked
                    && asked.request().equals(approved.request())
                    && asked.answeredAt(approved.said()),
            Write.value(WaitIndexKeys.early(approved.agent(), leaf), approved.said().toString()));
      }
      case Trigger.Wrote wrote -> ending(wrote);
    };
  }

  @Override
  public CompletionStage<ResumptionCondition> anchored(
      AgentId agent, ResumptionCondition condition) {
    return StartPositions.anchored(blackboards, agent, condition);
  }

  private CompletionStage<Integer> arrived(List<PageId> pages) {
    return wake(pages.stream().map(page -> References.Place.of(WaitIndexKeys.page(page))).toList());
  }

  private CompletionStage<Optional<WaitIndexEntry>> ending(
      AgentId agent, Predicate<ResumptionCondition> part, Write early) {
    return index
        .find(agent)
        .thenCompose(found ->
            holding(
                found.flatMap(it -> it.came(part)),
                // Something else may stand there by then, and wait for it, too.
                () -> index.came(agent, part, early)));
  }

  /** Those that go on with what has come; what does not suffice is noted and looked at again. */
  private CompletionStage<Optional<WaitIndexEntry>> holding(
      Optional<WaitIndexEntry> come, Supplier<CompletionStage<Optional<WaitIndexEntry>>> noting) {
    return holding(come)
        .thenCompose(ending ->
            ending.isPresent()
                ? CompletableFuture.completedStage(ending)
                : noting.get().thenCompose(this::holding));
  }

  private CompletionStage<Optional<WaitIndexEntry>> holding(Optional<WaitIndexEntry> found) {
    return found
        .map(it ->
            evaluator.holds(it, false).thenApply(holds -> Optional.of(it).filter(one -> holds)))
        .orElseGet(() -> CompletableFuture.completedStage(Optional.empty()));
  }

  private CompletionStage<Integer> evaluate(Optional<WaitIndexEntry> found, boolean room) {
    return found
        .map(entered -> evaluator.evaluate(entered, room))
        .orElseGet(() -> CompletableFuture.completedStage(0));
  }

  /** Wakes those who wait at these places, some at a time; each agent of a round once. */
  private CompletionStage<Integer> wake(List<References.Place> places) {
    return InFlight.map(places, bounds.atOnce(), place -> references.waiters(place, bounds.batch()))
        .thenCompose(found -> {
          Set<WaitIndexKeys.SuspensionKey> waiters =
              found.stream().flatMap(one -> one.waiters().stream()).collect(Collectors.toSet());
          List<References.Place> rest = found.stream().flatMap(one -> one.next().stream()).toList();
          return index
              .find(waiters)
              .thenCompose(standing ->
                  InFlight.map(
                          standing, bounds.atOnce(), entered -> evaluator.evaluate(entered, false))
                      .thenCombine(forgotten(found, standing), (woken, done) -> sum(woken)))
              .thenCompose(woken ->
                  rest.isEmpty()
                      ? CompletableFuture.completedStage(woken)
                      : wake(rest).thenApply(more -> woken + more));
        });
  }

  private CompletionStage<Void> forgotten(
      List<References.Waiters> found, List<WaitIndexEntry> standing) {
    Set<WaitIndexKeys.SuspensionKey> stand =
        standing.stream().map(WaitIndexEntry::waiter).collect(Collectors.toSet());
    return WaitIndex.all(
        found.stream()
            .map(one ->
                references.remove(
                    one.place().prefix(),
                    one.waiters().stream().filter(it -> !stand.contains(it)).toList()))
            .toList());
  }

  private CompletionStage<Optional<WaitIndexEntry>> ending(Trigger.Wrote wrote) {
    WaitIndexKeys.SuspensionKey waiter =
        new WaitIndexKeys.SuspensionKey(wrote.agent(), wrote.suspension());
    return index
        .find(wrote.agent())
        .thenCompose(found -> {
          Optional<WaitIndexEntry> standing = found.filter(it -> it.waiter().equals(waiter));
          if (standing.isEmpty()) {
            return writes.forget(wrote).thenApply(done -> Optional.empty());
          }
          return writes
              .come(standing.get(), wrote)
              .thenCompose(come ->
                  holding(
                      standing.map(it -> it.came(come)),
                      () -> index.change(waiter, it -> it.came(come))));
        });
  }

  private static int sum(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).sum();
  }

  private static <T> CompletionStage<Void> each(
      Optional<T> one, Function<T, CompletionStage<Void>> work) {
    return one.map(work).orElseGet(() -> CompletableFuture.completedStage(null));
  }

  /** Those who wait for capacity, of all buckets in one order. */
  record BlackboardCapacityQueue(WaitIndex index) implements CapacityQueue {

    private static final List<Integer> BUCKETS =
        IntStream.range(0, WaitIndexKeys.BUCKETS).boxed().toList();

    @Override
    public CompletionStage<List<String>> tenants(int limit, Optional<String> after) {
      return InFlight.map(
              BUCKETS,
              WaitIndexKeys.BUCKETS,
              bucket -> tenants(bucket, limit, after.map(WaitIndexKeys::behind), new TreeSet<>()))
          .thenApply(all ->
              all.stream().flatMap(SortedSet::stream).distinct().sorted().limit(limit).toList());
    }

    /** The first of each tenant is read, the others are passed over. */
    private CompletionStage<SortedSet<String>> tenants(
        int bucket, int limit, Optional<String> after, SortedSet<String> found) {
      return index
          .keys(bucket, WaitIndexKeys.ROOM, after, 1)
          .thenCompose(page -> {
            if (page.entries().isEmpty()) {
              return CompletableFuture.completedStage(found);
            }
            String tenant = WaitIndexKeys.tenantOfRoom(page.entries().getFirst().key());
            found.add(tenant);
            return found.size() == limit
                ? CompletableFuture.completedStage(found)
                : tenants(bucket, limit, Optional.of(WaitIndexKeys.behind(tenant)), found);
          });
    }

    @Override
    public CompletionStage<List<CapacityQueue.Waiting>> waiting(
        String tenant, int limit, Optional<CapacityQueue.Waiting> after) {
      Optional<String> key =
          after.map(one ->
              WaitIndexKeys.room(
                  new WaitIndexKeys.SuspensionKey(one.agent(), one.suspension()), one.rank()));
      return InFlight.map(
              BUCKETS,
              WaitIndexKeys.BUCKETS,
              bucket -> index.keys(bucket, WaitIndexKeys.room(tenant), key, limit))
          .thenApply(all ->
              all.stream()
                  .flatMap(page -> page.entries().stream())
                  .map(entry -> WaitIndexKeys.waitingForCapacity(entry.key()))
                  .sorted(
                      Comparator.comparingLong(CapacityQueue.Waiting::rank)
                          .thenComparing(one -> one.agent().persistenceId()))
                  .limit(limit)
                  .toList());
    }
  }
}
