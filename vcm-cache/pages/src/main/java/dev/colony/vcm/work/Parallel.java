package dev.colony.vcm.work;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Work over a list with a bounded number of threads that end with it. */
public final class Parallel {

  private Parallel() {}

  /**
   * The results in the order of the items; blocks.
   *
   * @throws java.util.concurrent.CompletionException with the first failure of the function
   */
  public static <T, R> List<R> map(int threads, List<T> items, Function<T, R> function) {
    int workers = Math.min(threads, items.size());
    if (workers <= 1) {
      return items.stream().map(function).toList();
    }
    // Each thread sets elements of its own; joining the threads makes them visible.
    List<R> results = new ArrayList<>(Collections.nCopies(items.size(), null));
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService pool = Executors.newFixedThreadPool(workers)) {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i; (i = next.getAndIncrement()) < items.size(); ) {
                    results.set(i, function.apply(items.get(i)));
                  }
                },
                pool));
      }
      running.forEach(CompletableFuture::join);
    }
    return results;
  }
}
