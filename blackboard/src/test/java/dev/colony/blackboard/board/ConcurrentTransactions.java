package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.TransactionScript.Cell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import net.jqwik.api.ShrinkingMode;

/** Transactions of many threads on few keys of a real backend, with the default retry policy. */
abstract class ConcurrentTransactions {

  private static final int THREADS = 200;

  private final Scope scope = Scope.colony("t" + UUID.randomUUID(), "c");

  abstract Blackboards blackboards();

  /** Threads interleave as they please, so a failure is not shrunk: it would not come again. */
  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void historiesAreSerializable(@ForAll("transactions") List<TransactionScript> scripts) {
    Scope own = scope.namespace("n" + UUID.randomUUID());
    List<Histories.Ran> all = new ArrayList<>();
    List<Future<Void>> ends = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (TransactionScript script : scripts) {
        Histories.Ran ran = new Histories.Ran("tx-" + all.size(), script, new ArrayList<>());
        all.add(ran);
        Blackboard board = blackboards().open(own, ran.writer());
        ends.add(threads.submit(() -> get(board.transaction(tx -> script.run(tx, ran.seen())))));
      }
    }
    assertThat(ends).allSatisfy(Future::resultNow);
    Blackboard board = blackboards().open(own, "reader");
    List<String> order = new ArrayList<>();
    for (BlackboardEvent event :
        get(board.history(EventFilter.all(), Position.BEGINNING, 10_000))) {
      if (order.isEmpty() || !order.getLast().equals(event.writer())) {
        order.add(event.writer());
      }
    }
    assertThat(order).as("the events of a transaction stand together").doesNotHaveDuplicates();

    Map<String, Cell> there = new HashMap<>();
    for (Entry entry : get(board.query(Query.all())).entries()) {
      there.put(entry.key(), new Cell(entry.as(Integer.class), entry.version()));
    }
    assertThat(there).isEqualTo(Histories.replay(all, order));
  }

  @Example
  void twoHundredThreadsIncrementingOneCounterLoseNoUpdate() {
    List<Future<Void>> ends = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < THREADS; i++) {
        Blackboard board = blackboards().open(scope, "thread-" + i);
        ends.add(
            threads.submit(() ->
                get(
                    board.transaction(tx ->
                        tx.read("counter", Long.class)
                            .thenCompose(count -> tx.write("counter", count.orElse(0L) + 1))))));
      }
    }
    assertThat(ends).allSatisfy(Future::resultNow);
    Optional<Entry> counter = get(blackboards().open(scope, "reader").read("counter"));
    assertThat(counter.orElseThrow().as(Long.class)).isEqualTo(THREADS);
    assertThat(counter.orElseThrow().version()).isEqualTo(THREADS);
  }

  @Provide
  Arbitrary<List<TransactionScript>> transactions() {
    return TransactionScript.scripts().list().ofMinSize(4).ofMaxSize(12);
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }
}
