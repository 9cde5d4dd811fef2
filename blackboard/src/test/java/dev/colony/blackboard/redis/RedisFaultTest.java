package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Writers at full speed and a subscriber, while connections or the server die. Every value is
 * unique, so that the events tell what was lost and what was done twice.
 */
class RedisFaultTest {

  private static final int WRITERS = 3;
  private static final int UNDER_WAY = 20;
  private static final int KEYS = 4;
  private static final int WRITES_BETWEEN = 60;

  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
  private final Map<String, Throwable> failed = new ConcurrentHashMap<>();
  private final AtomicInteger written = new AtomicInteger();

  @Test
  void killedConnectionsLoseAndDoubleNothing() {
    killConnections(4);
  }

  @Test
  @Tag("faults")
  void connectionsKilledAgainAndAgainLoseAndDoubleNothing() {
    killConnections(60);
  }

  @Test
  void killedServerLosesAndDoublesNothing() {
    killServer(2);
  }

  @Test
  @Tag("faults")
  void serverKilledAgainAndAgainLosesAndDoublesNothing() {
    killServer(25);
  }

  private void killConnections(int times) {
    try (TestRedis redis = TestRedis.start()) {
      RedisClient killer = RedisClient.create(redis.uri());
      try (StatefulRedisConnection<String, String> connection = killer.connect()) {
        hurt(
            redis,
            times,
            () -> {
              connection.sync().clientKill(KillArgs.Builder.typePubsub());
              connection.sync().clientKill(KillArgs.Builder.typeNormal().skipme());
            });
      } finally {
        killer.shutdown();
      }
    }
  }

  private void killServer(int times) {
    try (TestRedis redis = TestRedis.start()) {
      hurt(
          redis,
          times,
          () -> {
            redis.kill();
            redis.ensure();
          });
    }
  }

  private void hurt(TestRedis redis, int times, Runnable fault) {
    Scope scope = Scope.agent("t", "c", "a");
    // No sweep comes to help: pushes that were lost must be missed at the reconnect.
    BlackboardSettings settings =
        BlackboardSettings.DEFAULTS
            .withSweepInterval(Duration.ofHours(1))
            .withEvents(new BlackboardSettings.Events(1 << 20, 1 << 20, 1L << 28));
    AtomicBoolean stop = new AtomicBoolean();
    try (RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(30));
        RedisBlackboards blackboards = new RedisBlackboards(connections, settings)) {
      Recorder events =
          Recorder.eager().to(blackboards.open(scope, "r").subscribe("*", SubscribeFrom.now()));
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        try {
          for (int w = 0; w < WRITERS; w++) {
            String writer = "w" + w;
            Blackboard board = blackboards.open(scope, writer);
            threads.execute(() -> write(board, writer, stop));
          }
          for (int n = 0; n < times; n++) {
            int before = written.get();
            await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> written.get() > before + WRITES_BETWEEN);
            fault.run();
          }
          int before = written.get();
          await()
              .atMost(Duration.ofSeconds(60))
              .until(() -> written.get() > before + WRITES_BETWEEN);
        } finally {
          stop.set(true);
        }
      }
      WriteResult last =
          blackboards
              .open(scope, "end")
              .write(Write.of("end", TextNode.valueOf("end")))
              .toCompletableFuture()
              .join();
      assertThat(last).isInstanceOf(WriteResult.Written.class);
      events.awaitEvent(event -> event.entryKey().orElse("").equals("end"));
      assertThat(events.end()).isNotDone();
      check(events.events(), blackboards.open(scope, "r"));
    }
  }

  private void write(Blackboard board, String writer, AtomicBoolean stop) {
    Semaphore room = new Semaphore(UNDER_WAY);
    for (int n = 0; !stop.get(); n++) {
      room.acquireUninterruptibly();
      String value = writer + ":" + n;
      board
          .write(Write.of("k" + n % KEYS, TextNode.valueOf(value)))
          .whenComplete((result, failure) -> {
            if (failure == null) {
              acknowledged.add(value);
            } else {
              failed.put(value, failure);
            }
            written.incrementAndGet();
            room.release();
          });
    }
    room.acquireUninterruptibly(UNDER_WAY);
  }

  private void check(List<BlackboardEvent> events, Blackboard board) {
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).position()).isGreaterThan(events.get(i - 1).position());
    }
    Map<String, Long> versions = new HashMap<>();
    Map<String, String> values = new HashMap<>();
    Map<String, Long> seen =
        events.stream()
            .map(event -> (BlackboardEvent.Written) event)
            .peek(event -> {
              assertThat(event.version()).isEqualTo(versions.merge(event.key(), 1L, Long::sum));
              values.put(event.key(), event.value().asText());
            })
            .collect(Collectors.groupingBy(event -> event.value().asText(), Collectors.counting()));
    assertThat(seen.values()).as("each write took effect once").containsOnly(1L);
    assertThat(seen.keySet()).as("what was acknowledged was seen").containsAll(acknowledged);
    assertThat(failed).isEmpty();
    values.forEach((key, value) ->
        assertThat(board.read(key).toCompletableFuture().join().orElseThrow().value().asText())
            .isEqualTo(value));
  }

  @Test
  void outageIsToldOnceAndFailsCommandsInTime() {
    List<Boolean> told = new java.util.concurrent.CopyOnWriteArrayList<>();
    try (TestRedis redis = TestRedis.start();
        RedisConnections connections =
            new RedisConnections(
                redis.uri(),
                RedisSettings.withTimeout(Duration.ofMillis(1_500))
                    .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200))
                    .withRequestQueue(1_000)
                    .withSilentAfter(Duration.ofMillis(300)));
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      connections.onAvailability(told::add);
      Blackboard board = blackboards.open(Scope.tenant("t"), "w");
      Recorder events = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));

      redis.pause();
      await().until(() -> told.equals(List.of(false)));
      assertFailsRetryably(board);
      redis.resume();
      await().until(() -> told.equals(List.of(false, true)));

      redis.kill();
      await().until(() -> told.equals(List.of(false, true, false)));
      assertFailsRetryably(board);
      redis.ensure();
      await().until(() -> told.equals(List.of(false, true, false, true)));
      board.write(Write.of("back", TextNode.valueOf("x"))).toCompletableFuture().join();
      events.awaitEvent(event -> event.entryKey().orElse("").equals("back"));
      assertThat(events.end()).isNotDone();
    }
  }

  @Test
  void aClosedConnectionFailsTheStageAndDoesNotThrow() {
    RedisConnections connections =
        new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));
    try (RedisBlackboards blackboards =
        new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(Scope.tenant("t"), "w");
      connections.close();
      for (CompletionStage<?> stage :
          List.of(board.read("key"), board.write(Write.of("key", TextNode.valueOf("x"))))) {
        await().until(stage.toCompletableFuture()::isDone);
        assertThat(stage.toCompletableFuture().exceptionNow())
            .isInstanceOf(BlackboardException.class);
      }
    }
  }

  private static void assertFailsRetryably(Blackboard board) {
    CompletableFuture<WriteResult> write =
        board.write(Write.of("away", TextNode.valueOf("x"))).toCompletableFuture();
    await().until(write::isDone);
    assertThat(write.exceptionNow())
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.retryable()).isTrue());
  }
}
