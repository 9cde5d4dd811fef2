package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A connection ends in the midst of an answer of many parts. The command is repeated, and what came
 * of the first answer must not be part of the second.
 */
class TornReadTest {

  private static final int ENTRIES = 6;

  private final TestRedis redis = TestRedis.shared();
  private final Scope scope = Scope.agent("t" + UUID.randomUUID(), "c", "a");
  private final List<String> keys = IntStream.range(0, ENTRIES).mapToObj(n -> "k" + n).toList();

  private RedisDoor door;
  private RedisConnections connections;
  private RedisBlackboards blackboards;
  private Blackboard board;

  @BeforeEach
  void write() throws Exception {
    // Nothing else asks through the door, so that it is the wanted answer that is torn.
    BlackboardSettings quiet =
        BlackboardSettings.DEFAULTS
            .withSweepInterval(Duration.ofHours(1))
            .withExpiryInterval(Duration.ofHours(1));
    door = new RedisDoor(redis.port());
    connections =
        new RedisConnections(
            door.uri(),
            RedisSettings.withTimeout(Duration.ofSeconds(30)).withSilentAfter(Duration.ofHours(1)));
    blackboards = new RedisBlackboards(connections, quiet);
    board = blackboards.open(scope, "w");
    for (String key : keys) {
      now(board.send(Write.value(key, "x".repeat(100)), "someone"));
    }
  }

  @AfterEach
  void close() {
    blackboards.close();
    connections.close();
    door.close();
  }

  @Test
  void entriesAreReadOnce() throws Exception {
    assertThat(torn(() -> board.readAll(keys))).extracting(Entry::key).isEqualTo(keys);
  }

  @Test
  void entriesAreFoundOnce() throws Exception {
    assertThat(torn(() -> board.query(Query.all())).entries())
        .extracting(Entry::key)
        .isEqualTo(keys);
  }

  @Test
  void eventsAreReadOnce() throws Exception {
    assertThat(torn(() -> board.history(EventFilter.all(), Position.BEGINNING, 100)))
        .extracting(BlackboardEvent::entryKey)
        .extracting(key -> key.orElse(""))
        .isEqualTo(keys);
  }

  @Test
  void requestsAreReadOnce() throws Exception {
    int bucket = InboxBucket.of(scope, blackboards.inbox().buckets());
    List<InboxMessage> pending = torn(() -> blackboards.inbox().pending(bucket, 1_000));
    assertThat(pending)
        .filteredOn(message -> message.scope().equals(scope))
        .extracting(InboxMessage::key)
        .isEqualTo(keys);
  }

  /** The half of an answer has been read when the connection ends. */
  private <T> T torn(Supplier<CompletionStage<T>> question) throws Exception {
    // The server knows the script then, and the next answer is that of the question itself.
    now(question.get());
    CountDownLatch bitten = door.biteNext();
    CompletionStage<T> answer = question.get();
    assertThat(bitten.await(30, TimeUnit.SECONDS)).isTrue();
    door.open();
    return now(answer);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }
}
