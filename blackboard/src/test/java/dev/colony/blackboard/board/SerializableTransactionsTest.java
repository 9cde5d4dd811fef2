package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.board.TransactionScript.Cell;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/**
 * Every interleaving of the store's answers that chance picks gives what some order of the
 * transactions gives, one after the other. The order of the answers is drawn from the seed that
 * jqwik prints with a failure.
 */
class SerializableTransactionsTest {

  private static final RetryPolicy RETRY =
      new RetryPolicy(2, Duration.ofMillis(1), Duration.ofMillis(1));

  @Property(tries = 2_000)
  void concurrentTransactionsAreSerializable(
      @ForAll("transactions") List<TransactionScript> scripts, @ForAll long seed) {
    List<Runnable> due = new ArrayList<>();
    TinyStore store = new TinyStore(due::add);
    Boards boards = new Boards(RETRY, pause -> due::add, InstantSource.system());
    List<Histories.Ran> started = new ArrayList<>();
    List<CompletableFuture<Void>> results = new ArrayList<>();
    for (TransactionScript script : scripts) {
      String writer = "tx-" + started.size();
      List<Optional<Cell>> seen = new ArrayList<>();
      started.add(new Histories.Ran(writer, script, seen));
      results.add(
          boards
              .open(store, writer, BoardPolicies.NONE)
              .transaction(tx -> script.run(tx, seen))
              .toCompletableFuture());
    }
    Random chance = new Random(seed);
    while (!due.isEmpty()) {
      due.remove(chance.nextInt(due.size())).run();
    }

    List<Histories.Ran> committed = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      assertThat(results.get(i)).isDone();
      if (!results.get(i).isCompletedExceptionally()) {
        committed.add(started.get(i));
      }
    }
    Map<String, Cell> there = new HashMap<>();
    store
        .entries()
        .forEach(
            (key, entry) -> there.put(key, new Cell(entry.as(Integer.class), entry.version())));
    assertThat(there).isEqualTo(Histories.replay(committed, store.effective()));

    BlackboardCounters counted = boards.counters();
    assertThat(counted.commits()).isEqualTo(committed.size());
    assertThat(counted.concurrentModifications()).isEqualTo(scripts.size() - committed.size());
    Statistics.label("met a conflict").collect(counted.retries() > 0);
    Statistics.label("gave up").collect(counted.concurrentModifications() > 0);
  }

  @Provide
  Arbitrary<List<TransactionScript>> transactions() {
    return TransactionScript.scripts().list().ofMinSize(2).ofMaxSize(7);
  }
}
