package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The first look at an agent's past connects to the journal, which blocks. Lettuce ends the
 * handshake with a server that wants a password on the common pool, so that the connection must be
 * made elsewhere: here no thread of that pool is free.
 */
class HistoryConnectionTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "a");

  @Test
  void itIsMadeWithoutTheCommonPool() {
    CountDownLatch over = new CountDownLatch(1);
    for (int i = 0; i < Math.max(1, ForkJoinPool.getCommonPoolParallelism()); i++) {
      ForkJoinPool.commonPool()
          .submit(() -> {
            over.await();
            return null;
          });
    }
    Supplier<AgentHistory> connecting =
        () -> {
          throw new IllegalStateException("connecting on " + Thread.currentThread().getName());
        };
    try (InMemoryBlackboards boards = new InMemoryBlackboards()) {
      BlackboardColony colony =
          new BlackboardColony(
              boards,
              HomeResolver.byHash(1),
              Settings.read(ClientSettings.class, ConfigFactory.load()),
              connecting);
      List<CompletionStage<?>> looks =
          List.of(colony.agent(AGENT).at(1), colony.agent(AGENT).history(Optional.empty(), 1));
      assertThat(looks)
          .allSatisfy(look ->
              assertThat(look)
                  .failsWithin(Duration.ofSeconds(20))
                  .withThrowableOfType(ExecutionException.class)
                  .withMessageContaining("connecting on agent-history"));
    } finally {
      over.countDown();
    }
  }
}
