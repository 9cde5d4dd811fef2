package dev.colony.blackboard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/** What concurrent transactions may and may not do, on every backend. */
abstract class HistoryContract {

  private static final int THREADS = 200;
  private static final int INCREMENTS = 3;

  abstract Blackboards blackboards();

  @Property(tries = 150)
  void concurrentTransactionsAreStrictlySerializable(@ForAll("threads") List<List<Program>> threads)
      throws Exception {
    Scope scope = scope();
    History history = new HistoryRun(name -> blackboards().open(scope, name)).run(threads);
    assertThat(HistoryCheck.violations(history)).isEmpty();
    Statistics.label("a transaction was run again")
        .collect(history.retried())
        .coverage(coverage -> coverage.check(true).percentage(percent -> percent > 10));
  }

  @Provide
  Arbitrary<List<List<Program>>> threads() {
    return Programs.threads();
  }

  @Example
  void twoHundredThreadsIncrementingOneCounterLoseNoUpdate() throws Exception {
    Blackboard board = blackboards().open(scope(), "counting");
    List<Future<?>> counting = new ArrayList<>();
    try (ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (int t = 0; t < THREADS; t++) {
        counting.add(
            threads.submit(() -> {
              for (int n = 0; n < INCREMENTS; n++) {
                increment(board).toCompletableFuture().join();
              }
            }));
      }
      for (Future<?> one : counting) {
        one.get(120, TimeUnit.SECONDS);
      }
    }
    assertThat(board.read("counter").toCompletableFuture().join().orElseThrow().as(Long.class))
        .isEqualTo(THREADS * INCREMENTS);
  }

  private static CompletionStage<Void> increment(Blackboard board) {
    return board.transaction(tx ->
        tx.read("counter", Long.class)
            .thenCompose(count -> tx.write("counter", count.orElse(0L) + 1)));
  }

  private static Scope scope() {
    return Scope.session("t" + UUID.randomUUID(), "c", "history");
  }
}
