package dev.colony.client.directory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Group commit: of one key, one operation is under way at a time, and what comes meanwhile is for
 * the next one, in the order in which it came. So many changes of one entry cost few operations and
 * no conflicts among each other. Thread-safe; no thread waits.
 *
 * @param <K> of what there may be one operation at a time
 * @param <T> what is done
 */
public final class Together<K, T> {

  private final int most;
  private final Function<List<T>, CompletionStage<Void>> operation;
  private final Map<K, Queue<Waiting<T>>> waiting = new HashMap<>();

  private record Waiting<T>(T what, CompletableFuture<Void> done) {}

  /**
   * @param most how many are done together at most
   */
  public Together(int most, Function<List<T>, CompletionStage<Void>> operation) {
    this.most = most;
    this.operation = operation;
  }

  /** Completes, or fails, as the operation does that it becomes part of. */
  public CompletionStage<Void> add(K key, T what) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    boolean first;
    synchronized (this) {
      first = !waiting.containsKey(key);
      waiting.computeIfAbsent(key, one -> new ArrayDeque<>()).add(new Waiting<>(what, done));
    }
    if (first) {
      next(key);
    }
    return done;
  }

  private void next(K key) {
    List<Waiting<T>> some = take(key);
    if (!some.isEmpty()) {
      begin(some)
          .whenComplete((done, failure) -> {
            for (Waiting<T> one : some) {
              if (failure == null) {
                one.done().complete(null);
              } else {
                one.done().completeExceptionally(failure);
              }
            }
            next(key);
          });
    }
  }

  private CompletionStage<Void> begin(List<Waiting<T>> some) {
    try {
      return operation.apply(some.stream().map(Waiting::what).toList());
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  private synchronized List<Waiting<T>> take(K key) {
    Queue<Waiting<T>> all = waiting.get(key);
    List<Waiting<T>> some = new ArrayList<>();
    while (some.size() < most && !all.isEmpty()) {
      some.add(all.remove());
    }
    if (some.isEmpty()) {
      waiting.remove(key);
    }
    return some;
  }
}
