package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.vcm.mapping.Parallel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The agents' own entries, with their times and their places among those who wait for room: these
 * change together. Keys carry the suspension's number, so that what is left of one never concerns
 * the next.
 */
record WaitIndex(Blackboards blackboards, Duration keepSignals) {

  /**
   * What stands after an agent was entered.
   *
   * @param entered empty if a later suspension stands there
   * @param replaced an earlier one, which is to be forgotten elsewhere
   */
  record Standing(Optional<WaitIndexEntry> entered, Optional<WaitIndexEntry> replaced) {}

  Blackboard board(int bucket) {
    return blackboards.open(WaitIndexKeys.scope(bucket), "resumption");
  }

  private Blackboard board(AgentId agent) {
    return board(WaitIndexKeys.bucket(agent));
  }

  CompletionStage<Optional<WaitIndexEntry>> find(AgentId agent) {
    return board(agent)
        .read(WaitIndexKeys.entry(agent))
        .thenApply(found -> found.map(WaitIndexEntry::of));
  }

  /** Those of them whose suspension is the one that stands. */
  CompletionStage<List<WaitIndexEntry>> find(Collection<WaitIndexKeys.SuspensionKey> waiters) {
    Set<WaitIndexKeys.SuspensionKey> wanted = Set.copyOf(waiters);
    Map<Integer, List<WaitIndexKeys.SuspensionKey>> byBucket =
        wanted.stream().collect(Collectors.groupingBy(one -> WaitIndexKeys.bucket(one.agent())));
    List<WaitIndexEntry> found = new ArrayList<>();
    CompletionStage<List<WaitIndexEntry>> all = CompletableFuture.completedStage(found);
    for (Map.Entry<Integer, List<WaitIndexKeys.SuspensionKey>> one : byBucket.entrySet()) {
      CompletionStage<List<Entry>> read =
          board(one.getKey())
              .readAll(
                  one.getValue().stream()
                      .map(waiter -> WaitIndexKeys.entry(waiter.agent()))
                      .distinct()
                      .toList());
      all =
          all.thenCombine(
              read,
              (before, entries) -> {
                entries.stream()
                    .map(WaitIndexEntry::of)
                    .filter(entered -> wanted.contains(entered.waiter()))
                    .forEach(before::add);
                return before;
              });
    }
    return all;
  }

  /**
   * Enters a suspension. One that stands there already stays as it is; what came early for a new
   * one is taken into it.
   *
   * @param since what came before this does not count
   */
  CompletionStage<Standing> enter(WaitIndexEntry fresh, Instant since) {
    Map<String, ResumptionCondition> early = new LinkedHashMap<>();
    fresh
        .leaves(ResumptionCondition.Custom.class)
        .forEach(leaf -> early.put(WaitIndexKeys.early(fresh.agent(), leaf), leaf));
    fresh
        .leaves(ResumptionCondition.Approved.class)
        .forEach(leaf -> early.put(WaitIndexKeys.early(fresh.agent(), leaf), leaf));
    String key = WaitIndexKeys.entry(fresh.agent());
    List<String> keys = new ArrayList<>(early.keySet());
    keys.add(key);
    return board(fresh.agent())
        .transaction(tx ->
            tx.readAll(keys)
                .thenCompose(entries -> {
                  Optional<WaitIndexEntry> before =
                      entries.stream()
                          .filter(entry -> entry.key().equals(key))
                          .map(WaitIndexEntry::of)
                          .findFirst();
                  if (before.isPresent() && before.get().suspension() >= fresh.suspension()) {
                    return CompletableFuture.completedStage(
                        new Standing(
                            before.filter(it -> it.suspension() == fresh.suspension()),
                            Optional.empty()));
                  }
                  Set<ResumptionCondition> come = new HashSet<>();
                  List<CompletionStage<Void>> changes = new ArrayList<>();
                  for (Entry entry : entries) {
                    if (early.containsKey(entry.key())) {
                      changes.add(tx.delete(entry.key()));
                      if (counts(entry, early.get(entry.key()), since)) {
                        come.add(early.get(entry.key()));
                      }
                    }
                  }
                  WaitIndexEntry entered = fresh.came(come);
                  before.ifPresent(old -> beside(old).forEach(it -> changes.add(tx.delete(it))));
                  changes.add(write(tx, entered));
                  beside(entered).forEach(it -> changes.add(tx.write(Write.value(it, 1))));
                  return all(changes).thenApply(done -> new Standing(Optional.of(entered), before));
                }));
  }

  /** An answer says where it was given, and is none to what was asked for behind that. */
  private static boolean counts(Entry early, ResumptionCondition leaf, Instant since) {
    boolean answers =
        !(leaf instanceof ResumptionCondition.Approved asked)
            || asked.answeredAt(Position.parse(early.value().asText()));
    return answers && !early.updatedAt().isBefore(since);
  }

  /** Changes what stands of a suspension; empty if it does not stand there. */
  CompletionStage<Optional<WaitIndexEntry>> change(
      WaitIndexKeys.SuspensionKey waiter, UnaryOperator<WaitIndexEntry> change) {
    String key = WaitIndexKeys.entry(waiter.agent());
    return board(waiter.agent())
        .transaction(tx ->
            tx.read(key)
                .thenCompose(found -> {
                  Optional<WaitIndexEntry> before =
                      found.map(WaitIndexEntry::of).filter(it -> it.waiter().equals(waiter));
                  Optional<WaitIndexEntry> after = before.map(change);
                  return after.equals(before)
                      ? CompletableFuture.completedStage(before)
                      : write(tx, after.get()).thenApply(done -> after);
                }));
  }

  /** Notes that it is woken: it waits for room no more. */
  CompletionStage<Void> woken(WaitIndexEntry woken) {
    return board(woken.agent())
        .transaction(tx ->
            tx.read(WaitIndexKeys.entry(woken.agent()))
                .thenCompose(found -> {
                  List<CompletionStage<Void>> changes = new ArrayList<>();
                  woken.rank().stream()
                      .forEach(
                          rank -> changes.add(tx.delete(WaitIndexKeys.room(woken.waiter(), rank))));
                  found
                      .map(WaitIndexEntry::of)
                      .filter(it -> same(it, woken))
                      .ifPresent(it -> changes.add(write(tx, it.asWoken())));
                  return all(changes);
                }));
  }

  /**
   * Notes that something has come for an agent, or keeps it for a while where the agent waits for
   * no such thing.
   *
   * @param part whether it is what a part of a condition waits for
   * @param early how it is kept
   * @return what stands there now, if it waits for that
   */
  CompletionStage<Optional<WaitIndexEntry>> came(
      AgentId agent, Predicate<ResumptionCondition> part, Write early) {
    return board(agent)
        .transaction(tx ->
            tx.read(WaitIndexKeys.entry(agent))
                .thenCompose(found -> {
                  Optional<WaitIndexEntry> before = found.map(WaitIndexEntry::of);
                  Optional<WaitIndexEntry> after = before.flatMap(it -> it.came(part));
                  if (after.isEmpty()) {
                    return tx.write(early.ttl(keepSignals)).thenApply(done -> after);
                  }
                  return after.equals(before)
                      ? CompletableFuture.completedStage(before)
                      : write(tx, after.get()).thenApply(done -> after);
                }));
  }

  /**
   * Takes out what stands of a suspension, or of one before it.
   *
   * @return what is to be forgotten elsewhere first, and stands there still; empty if nothing does
   */
  CompletionStage<Optional<WaitIndexEntry>> take(AgentId agent, long suspension) {
    String key = WaitIndexKeys.entry(agent);
    return board(agent)
        .transaction(tx ->
            tx.read(key)
                .thenCompose(found -> {
                  Optional<WaitIndexEntry> over =
                      found.map(WaitIndexEntry::of).filter(it -> it.suspension() <= suspension);
                  Optional<WaitIndexEntry> elsewhere = over.filter(it -> !it.alone());
                  List<CompletionStage<Void>> changes = new ArrayList<>();
                  over.filter(WaitIndexEntry::alone)
                      .ifPresent(it -> {
                        beside(it).forEach(one -> changes.add(tx.delete(one)));
                        changes.add(tx.delete(key));
                      });
                  return all(changes).thenApply(done -> elsewhere);
                }));
  }

  /** Takes a suspension out, if it still stands there. */
  CompletionStage<Void> remove(WaitIndexEntry entered) {
    String key = WaitIndexKeys.entry(entered.agent());
    return board(entered.agent())
        .transaction(tx ->
            tx.read(key)
                .thenCompose(found -> {
                  List<CompletionStage<Void>> changes = new ArrayList<>();
                  beside(entered).forEach(it -> changes.add(tx.delete(it)));
                  if (found.map(WaitIndexEntry::of).filter(it -> same(it, entered)).isPresent()) {
                    changes.add(tx.delete(key));
                  }
                  return all(changes);
                }));
  }

  CompletionStage<Void> delete(int bucket, List<String> keys) {
    return keys.isEmpty()
        ? CompletableFuture.completedStage(null)
        : board(bucket).transaction(tx -> all(keys.stream().map(tx::delete).toList()));
  }

  CompletionStage<Keys> keys(int bucket, String prefix, Optional<String> after, int limit) {
    Query query = Query.keys(prefix + "*").limit(limit);
    return board(bucket)
        .query(after.map(key -> query.from(new Query.Cursor(key))).orElse(query))
        .thenApply(page -> new Keys(page.entries(), page.next().map(Query.Cursor::afterKey)));
  }

  /**
   * Some of a bucket's entries.
   *
   * @param next where the next page begins; empty if there is none
   */
  record Keys(List<Entry> entries, Optional<String> next) {}

  private static boolean same(WaitIndexEntry one, WaitIndexEntry other) {
    return one.waiter().equals(other.waiter());
  }

  private static CompletionStage<Void> write(Transaction tx, WaitIndexEntry entered) {
    return tx.write(Write.of(WaitIndexKeys.entry(entered.agent()), entered.toJson()));
  }

  /** What stands beside an agent's entry in its bucket. */
  private static Stream<String> beside(WaitIndexEntry entered) {
    Stream<String> times =
        entered
            .leaves(ResumptionCondition.At.class)
            .map(at -> WaitIndexKeys.time(at.time(), entered.waiter()))
            .distinct();
    Stream<String> room =
        entered.rank().stream().mapToObj(rank -> WaitIndexKeys.room(entered.waiter(), rank));
    return Stream.concat(times, room);
  }

  static CompletionStage<Void> all(Collection<? extends CompletionStage<?>> stages) {
    return CompletableFuture.allOf(
        stages.stream()
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture[]::new));
  }

  /**
   * Who waits for an agent's end or for a page: one key for each, found by what is waited for. One
   * may be left over from a suspension that is gone; then no suspension stands behind it.
   */
  record References(WaitIndex index) {

    /**
     * Keys that are written in one operation, so that a condition that lists thousands holds
     * nothing up.
     */
    private static final int AT_ONCE = 500;

    /**
     * Where to go on among those who wait for something.
     *
     * @param prefix names what is waited for
     */
    record Place(String prefix, Optional<String> after) {

      static Place of(String prefix) {
        return new Place(prefix, Optional.empty());
      }
    }

    record Waiters(Place place, List<WaitIndexKeys.SuspensionKey> waiters, Optional<Place> next) {}

    CompletionStage<Void> add(WaitIndexEntry entered) {
      return each(
          entered,
          (bucket, keys) ->
              index.board(bucket).writeAll(keys.stream().map(key -> Write.value(key, 1)).toList()));
    }

    CompletionStage<Void> remove(WaitIndexEntry entered) {
      return each(entered, index::delete);
    }

    CompletionStage<Void> remove(String prefix, List<WaitIndexKeys.SuspensionKey> waiters) {
      return index.delete(
          WaitIndexKeys.bucket(prefix), waiters.stream().map(waiter -> prefix + waiter).toList());
    }

    /** A page of those who wait for something. */
    CompletionStage<Waiters> waiters(Place place, int limit) {
      String prefix = place.prefix();
      return index
          .keys(WaitIndexKeys.bucket(prefix), prefix, place.after(), limit)
          .thenApply(page ->
              new Waiters(
                  place,
                  page.entries().stream()
                      .map(entry ->
                          WaitIndexKeys.SuspensionKey.parse(entry.key().substring(prefix.length())))
                      .toList(),
                  page.next().map(after -> new Place(prefix, Optional.of(after)))));
    }

    @FunctionalInterface
    private interface Change {
      CompletionStage<?> make(int bucket, List<String> keys);
    }

    private static CompletionStage<Void> each(WaitIndexEntry entered, Change change) {
      Map<Integer, List<String>> byBucket =
          prefixes(entered)
              .distinct()
              .collect(
                  Collectors.groupingBy(
                      WaitIndexKeys::bucket,
                      Collectors.mapping(
                          prefix -> prefix + entered.waiter(), Collectors.toList())));
      List<CompletionStage<?>> changes = new ArrayList<>();
      byBucket.forEach((bucket, keys) ->
          Parallel.batches(keys, AT_ONCE).forEach(some -> changes.add(change.make(bucket, some))));
      return WaitIndex.all(changes);
    }

    private static Stream<String> prefixes(WaitIndexEntry entered) {
      return Stream.<Stream<String>>of(
              entered
                  .leaves(ResumptionCondition.ChildrenCompleted.class)
                  .flatMap(leaf -> leaf.agents().stream())
                  .map(WaitIndexKeys::ended),
              entered
                  .leaves(ResumptionCondition.PagesAvailable.class)
                  .flatMap(leaf -> leaf.pages().stream())
                  .map(WaitIndexKeys::page))
          .flatMap(Function.identity());
    }
  }
}
