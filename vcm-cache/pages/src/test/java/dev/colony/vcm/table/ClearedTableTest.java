package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** All entries go while a node reads them. */
class ClearedTableTest {

  private static final ReplicaId REPLICA = new ReplicaId("r1");

  private final CompletableFuture<Void> gate = new CompletableFuture<>();

  @Test
  void whatWasReadBeforeIsNotTakenIn() throws Exception {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (InMemoryBlackboards boards = new InMemoryBlackboards()) {
      Blackboard board = boards.open(BlackboardPageTable.SCOPE, "test");
      ReplicaResidency residency =
          new ReplicaResidency(
              REPLICA,
              new NodeAddress("127.0.0.1:7000"),
              URI.create("http://127.0.0.1:8000/v1"),
              1,
              1,
              Map.of(Fixtures.page(1), 10));
      await(board.write(Write.of(TableEntries.of(REPLICA), TableEntries.write(residency))));
      TableState state = new TableState();
      TableSubscription table =
          new TableSubscription(gated(board), state, Fixtures.tableSettings(), timer, new Deaf());
      table.onSubscribe(new Endless());
      await(board.clear());
      table.onNext(
          new BlackboardEvent.Cleared(
              BlackboardPageTable.SCOPE, new Position(1, 2), Instant.EPOCH, "test", 1));
      gate.complete(null);
      table.loaded().get(20, TimeUnit.SECONDS);
      assertThat(state.snapshot().residentTokens(Map.of(Fixtures.page(1), 10).keySet())).isEmpty();
    } finally {
      timer.shutdownNow();
    }
  }

  /** Its queries are answered as they are made, and heard of when the gate is open. */
  private Blackboard gated(Blackboard board) {
    return (Blackboard)
        Proxy.newProxyInstance(
            Blackboard.class.getClassLoader(),
            new Class<?>[] {Blackboard.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(board, arguments);
              if (method.getName().equals("query")) {
                EntryPage page = (EntryPage) await((CompletionStage<?>) result);
                return gate.thenApply(open -> page);
              }
              return result;
            });
  }

  private static <T> T await(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private static final class Deaf implements TableSubscription.Listener {
    @Override
    public void changed(ResidencyChange change) {}

    @Override
    public void deleted(String key) {}

    @Override
    public void updated() {}

    @Override
    public void compared(Set<String> stored) {}
  }

  private static final class Endless implements Flow.Subscription {
    @Override
    public void request(long events) {}

    @Override
    public void cancel() {}
  }
}
