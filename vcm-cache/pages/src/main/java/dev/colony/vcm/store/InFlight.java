package dev.colony.vcm.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Asynchronous work over a list with a bound on how much of it is under way. */
public final class InFlight<T, R> {

  private final List<T> items;
  private final Function<T, CompletionStage<R>> work;
  private final List<R> results;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger missing;
  private final CompletableFuture<List<R>> all = new CompletableFuture<>();

  private InFlight(List<T> items, Function<T, CompletionStage<R>> work) {
    this.items = items;
    this.work = work;
    this.results = new ArrayList<>(Collections.nCopies(items.size(), null));
    this.missing = new AtomicInteger(items.size());
  }

  /**
   * The results in the order of the items. Fails with the first failure, after which nothing more
   * is started.
   */
  public static <T, R> CompletionStage<List<R>> map(
      List<T> items, int limit, Function<T, CompletionStage<R>> work) {
    if (items.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    InFlight<T, R> run = new InFlight<>(items, work);
    for (int i = 0; i < Math.min(limit, items.size()); i++) {
      run.advance();
    }
    return run.all.minimalCompletionStage();
  }

  private void advance() {
    // A loop, because stages that are complete already would nest as deep as the list is long.
    while (!all.isCompletedExceptionally()) {
      int index = next.getAndIncrement();
      if (index >= items.size()) {
        return;
      }
      CompletableFuture<R> stage;
      try {
        stage = work.apply(items.get(index)).toCompletableFuture();
      } catch (RuntimeException failure) {
        all.completeExceptionally(failure);
        return;
      }
      if (!stage.isDone()) {
        stage.whenComplete((result, failure) -> {
          done(index, result, failure);
          advance();
        });
        return;
      }
      stage.whenComplete((result, failure) -> done(index, result, failure));
    }
  }

  private void done(int index, R result, Throwable failure) {
    if (failure != null) {
      all.completeExceptionally(failure);
      return;
    }
    results.set(index, result);
    // The decrement orders the elements set by other threads before the list is handed out.
    if (missing.decrementAndGet() == 0) {
      all.complete(results);
    }
  }
}
