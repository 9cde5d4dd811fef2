package dev.colony.node.resumption;

import dev.colony.vcm.work.InFlight;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Those who wait for capacity, of all buckets in one order. */
final class BlackboardCapacityQueue implements CapacityQueue {

  private static final List<Integer> BUCKETS =
      IntStream.range(0, WaitIndexKeys.BUCKETS).boxed().toList();

  private final WaitIndex index;

  BlackboardCapacityQueue(WaitIndex index) {
    this.index = index;
  }

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
            WaitIndexKeys.room(new SuspensionKey(one.agent(), one.suspension()), one.rank()));
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
