package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lies in Redis, and what a process does at its limits. */
class RedisLayoutTest {

  /** Keys of no bucket. */
  private static final Set<String> OF_ALL =
      Set.of("colony:buckets", "colony:clock", "colony:layout");

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

  /** Whatever the clock of the server said when it was moved. */
  @Test
  void aDeadLetterIsTooOldByTheClusterTime() {
    long now = blackboards.clock().instant().toEpochMilli();
    long kept = BlackboardSettings.DEFAULTS.inbox().keepDeadLetters().toMillis();
    blackboards.open(scope, "w").send(write("k"), "agent").toCompletableFuture().join();
    int bucket = InboxBucket.of(scope, blackboards.inbox().buckets());
    InboxMessage.Request request =
        (InboxMessage.Request)
            blackboards.inbox().pending(bucket, 1).toCompletableFuture().join().getFirst();
    blackboards.inbox().bury(bucket, request, 0, "why").toCompletableFuture().join();
    String stream = ScopeKeys.dead(bucket);
    var redis = connections.commands();
    var letter = redis.xrange(stream, Range.unbounded()).toCompletableFuture().join().getFirst();
    redis.del(stream).toCompletableFuture().join();
    Map<String, byte[]> moved = new HashMap<>(letter.getBody());
    for (long age : new long[] {kept + 60_000, kept - 60_000}) {
      moved.put("t", Long.toString(now - age).getBytes(StandardCharsets.UTF_8));
      XAddArgs id = new XAddArgs().id(-age + 2 * kept + "-1");
      redis.xadd(stream, id, moved).toCompletableFuture().join();
    }
    assertThat(
            blackboards
                .inbox()
                .deadLetters(bucket, Optional.empty(), 10)
                .toCompletableFuture()
                .join())
        .extracting(DeadLetter::id)
        .containsExactly(kept + 60_000 + "-1");
    assertThat(blackboards.inbox().statistics().toCompletableFuture().join().deadLetters())
        .isEqualTo(1);
  }

  @Test
  void allKeysOfAScopeShareTheHashTagOfItsBucket() {
    Blackboard board = blackboards.open(scope.namespace("n"), "w");
    board.wakeOn("sleeper", List.of(new KeyGlob("*"))).toCompletableFuture().join();
    board.acknowledge("durable", Position.BEGINNING).toCompletableFuture().join();
    board
        .send(write("k").tags("t").ttl(Duration.ofHours(1)), "someone")
        .toCompletableFuture()
        .join();
    List<String> all = keys("*");
    assertThat(all)
        .contains("colony:buckets", "colony:clock", "colony:layout")
        .filteredOn(key -> !OF_ALL.contains(key))
        .hasSize(15)
        .allMatch(key -> key.startsWith("colony:{inbox-6}:"));
  }

  @Test
  void laneIsUsedAgainAndForgottenInTheEnd() {
    Blackboard board = blackboards.open(scope, "w");
    IntStream.range(0, 50).forEach(n -> board.write(write("k" + n)).toCompletableFuture().join());
    assertThat(keys("colony:{inbox-6}:lanes/*"))
        .hasSize(1)
        .allSatisfy(key -> assertThat(ttl(key)).isPositive());
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
  void otherLayoutIsRefused() {
    connections.commands().set("colony:layout", "99".getBytes()).toCompletableFuture().join();
    assertLayoutRefused("of layout 99");
  }

  @Test
  void layoutOfTheTimeBeforeItHadANumberIsRefusedAndStays() {
    connections.commands().del("colony:layout").toCompletableFuture().join();
    assertLayoutRefused("of layout 1");
    assertLayoutRefused("of layout 1");
  }

  private void assertLayoutRefused(String what) {
    assertThatThrownBy(() -> new RedisBlackboards(connections, BlackboardSettings.DEFAULTS))
        .isInstanceOfSatisfying(
            BlackboardException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(BlackboardException.Reason.LAYOUT);
              assertThat(failure.retryable()).isFalse();
            })
        .hasMessageContaining(what);
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
