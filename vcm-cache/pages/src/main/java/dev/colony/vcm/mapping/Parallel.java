package dev.colony.vcm.mapping;

import dev.colony.blackboard.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Work over a list with a bounded number of threads that end with it. The results come in the order
 * of the items. After a failure nothing more is begun, and the call throws the failure. Blocks; an
 * interrupt of the caller interrupts the work.
 */
public final class Parallel {

  private Parallel() {}

  /** Work that computes, on platform threads. */
  public static <T, R> List<R> map(int threads, List<T> items, Function<T, R> function) {
    return map(Executors.defaultThreadFactory(), threads, items, function);
  }

  /** Work that waits for a backend, on virtual threads. */
  public static <T, R> List<R> blocking(int atOnce, List<T> items, Function<T, R> function) {
    return map(Thread.ofVirtual().factory(), atOnce, items, function);
  }

  /** The items in order, in lists of at most this many. */
  public static <T> List<List<T>> batches(List<T> items, int size) {
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < items.size(); from += size) {
      batches.add(items.subList(from, Math.min(items.size(), from + size)));
    }
    return batches;
  }

  private static <T, R> List<R> map(
      ThreadFactory threads, int most, List<T> items, Function<T, R> function) {
    int workers = Math.min(most, items.size());
    if (workers <= 1) {
      return items.stream().map(function).toList();
    }
    // Each thread sets elements of its own; joining the threads makes them visible.
    List<R> results = new ArrayList<>(Collections.nCopies(items.size(), null));
    AtomicInteger next = new AtomicInteger();
    Runnable work =
        () -> {
          try {
            for (int i; (i = next.getAndIncrement()) < items.size(); ) {
              results.set(i, function.apply(items.get(i)));
            }
          } catch (Throwable failure) {
            next.set(items.size());
            throw failure;
          }
        };
    try (ExecutorService pool = Executors.newFixedThreadPool(workers, threads)) {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        running.add(CompletableFuture.runAsync(work, pool));
      }
      running.forEach(Await::result);
    }
    return results;
  }
}
