package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lies in Redis, and what a process does at its limits. */
class RedisLayoutTest {

  private final Scope scope = Scope.agent("acme", "billing", "reviewer");
  private TestRedis redis;
  private RedisConnections connections;
  private RedisBlackboards blackboards;

  @BeforeEach
  void open() {
    redis = TestRedis.start(Fsync.NO);
    connections = new RedisConnections(redis.uri(), Duration.ofSeconds(10));
    blackboards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  }

  @AfterEach
  void close() {
    blackboards.close();
    blackboards.close();
    connections.close();
    redis.close();
  }

  @Test
  void allKeysOfAScopeShareTheHashTagOfItsBucket() {
    Blackboard board = blackboards.open(scope.namespace("n"), "w");
    board.send(write("k").ttl(Duration.ofHours(1)), "someone").toCompletableFuture().join();
    assertThat(keys("*"))
        .hasSize(8)
        .contains("colony:buckets")
        .allMatch(key -> key.equals("colony:buckets") || key.startsWith("colony:{inbox-6}:"));
    assertThat(keys("*:repeats:*")).hasSize(1).allSatisfy(key -> assertThat(ttl(key)).isPositive());
  }

  @Test
  void whatExpiredLeavesTheIndexWithLaterWrites() {
    Blackboard board = blackboards.open(scope, "w");
    IntStream.range(0, 20)
        .mapToObj(n -> board.write(write("gone" + n).ttl(Duration.ofMillis(1))))
        .toList()
        .forEach(written -> written.toCompletableFuture().join());
    String index = "colony:{inbox-6}:keys:" + scope.path();
    await()
        .until(() -> {
          board.write(write("stays")).toCompletableFuture().join();
          return connections.commands().zcard(index).get() == 1;
        });
    assertThat(keys("*:expiring:*")).isEmpty();
  }

  @Test
  void otherNumberOfBucketsIsRefused() {
    assertThatThrownBy(
            () -> new RedisBlackboards(connections, BlackboardSettings.DEFAULTS.withBuckets(8)))
        .isInstanceOf(BlackboardException.class)
        .hasMessageContaining("colony.blackboard.buckets is 8")
        .hasMessageContaining("laid out for 32");
  }

  @Test
  void windowShorterThanACallIsRefused() {
    try (RedisConnections patient = new RedisConnections(redis.uri(), Duration.ofMinutes(1))) {
      assertThatThrownBy(() -> new RedisBlackboards(patient, BlackboardSettings.DEFAULTS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("repeat-window");
    }
  }

  @Test
  void commandsOverTheQueueFailAtOnce() {
    RedisSettings small =
        RedisSettings.withTimeout(Duration.ofSeconds(20))
            .withReconnect(Duration.ofMillis(20), Duration.ofMillis(100))
            .withRequestQueue(50)
            .withSilentAfter(Duration.ofHours(1));
    try (RedisConnections few = new RedisConnections(redis.uri(), small);
        RedisBlackboards limited = new RedisBlackboards(few, BlackboardSettings.DEFAULTS)) {
      Blackboard board = limited.open(scope, "w");
      board.write(write("first")).toCompletableFuture().join();
      redis.pause();
      List<CompletableFuture<WriteResult>> writes =
          IntStream.range(0, 200)
              .mapToObj(n -> board.write(write("k" + n)).toCompletableFuture())
              .toList();
      await().until(() -> writes.stream().filter(CompletableFuture::isDone).count() >= 140);
      assertThat(writes.stream().filter(CompletableFuture::isDone))
          .allSatisfy(write ->
              assertThat(write.exceptionNow())
                  .isInstanceOfSatisfying(
                      BlackboardException.class,
                      failure -> assertThat(failure.retryable()).isTrue()));
      redis.resume();
      await().until(() -> writes.stream().allMatch(CompletableFuture::isDone));
      assertThat(writes.stream().filter(write -> !write.isCompletedExceptionally())).isNotEmpty();
    }
  }

  private static Write write(String key) {
    return Write.of(key, TextNode.valueOf("x"));
  }

  private List<String> keys(String pattern) {
    return connections.commands().keys(pattern).toCompletableFuture().join();
  }

  private long ttl(String key) {
    return connections.commands().pttl(key).toCompletableFuture().join();
  }
}
