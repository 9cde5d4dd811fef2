package dev.colony.node.resumption;

import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Write;
import dev.colony.vcm.mapping.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who waits for an agent's end or for a page: one key for each, found by what is waited for. One
 * may be left over from a suspension that is gone; then no suspension stands behind it.
 */
record References(WaitIndex index) {

  /**
   * Keys that are written in one operation, so that a condition that lists thousands holds nothing
   * up.
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
                    Collectors.mapping(prefix -> prefix + entered.waiter(), Collectors.toList())));
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
