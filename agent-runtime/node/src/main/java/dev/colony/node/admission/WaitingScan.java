package dev.colony.node.admission;

import dev.colony.node.resumption.CapacityQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Reads of those who wait for capacity the first that may go on now. However many stand before them
 * that may not, they are found: a look reads a bounded part of the queue, and where that holds too
 * few, the next look of the tenant goes on behind it, until the end; then from the front again.
 * Thread-safe.
 */
final class WaitingScan {

  /** How many are read at once, at least, and how many times in one look at most. */
  static final int PAGE = 64;

  static final int PAGES = 8;

  private final CapacityQueue queue;
  private final Map<String, CapacityQueue.Waiting> readTo = new ConcurrentHashMap<>();

  WaitingScan(CapacityQueue queue) {
    this.queue = queue;
  }

  /**
   * The first of a tenant, in their order.
   *
   * @param limit at least 1; fewer come where this look finds no more
   * @param now whether one may go on
   */
  CompletionStage<List<CapacityQueue.Waiting>> first(
      String tenant, int limit, Predicate<CapacityQueue.Waiting> now) {
    return more(tenant, limit, now, Optional.ofNullable(readTo.remove(tenant)), List.of(), PAGES);
  }

  private CompletionStage<List<CapacityQueue.Waiting>> more(
      String tenant,
      int limit,
      Predicate<CapacityQueue.Waiting> now,
      Optional<CapacityQueue.Waiting> after,
      List<CapacityQueue.Waiting> found,
      int pages) {
    int size = Math.max(limit, PAGE);
    return queue
        .waiting(tenant, size, after)
        .thenCompose(page -> {
          List<CapacityQueue.Waiting> all = new ArrayList<>(found);
          page.stream().filter(now).forEach(all::add);
          if (page.size() < size || all.size() >= limit) {
            return CompletableFuture.completedStage(
                List.copyOf(all.subList(0, Math.min(limit, all.size()))));
          }
          if (pages == 1) {
            readTo.put(tenant, page.getLast());
            return CompletableFuture.completedStage(List.copyOf(all));
          }
          return more(tenant, limit, now, Optional.of(page.getLast()), all, pages - 1);
        });
  }
}
