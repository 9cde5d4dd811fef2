package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.XAddArgs;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An event whose push is lost, and after which nothing else is pushed that would show the gap. */
class LostPushTest {

  private final TestRedis redis = TestRedis.shared();
  private final Scope scope = Scope.agent("t" + UUID.randomUUID(), "c", "a");

  @Test
  void reconnectFindsWhatHappenedMeanwhile() throws Exception {
    BlackboardSettings noSweep = BlackboardSettings.DEFAULTS.withSweepInterval(Duration.ofHours(1));
    try (RedisDoor door = new RedisDoor(redis.port());
        RedisConnections straight = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
        RedisBlackboards writers = new RedisBlackboards(straight, noSweep);
        RedisConnections throughDoor = new RedisConnections(door.uri(), Duration.ofSeconds(20));
        RedisBlackboards readers = new RedisBlackboards(throughDoor, noSweep)) {
      int bucket = InboxBucket.of(scope, noSweep.buckets());
      Recorder recorder =
          Recorder.eager().to(readers.open(scope, "r").subscribe("*", SubscribeFrom.now()));
      writers.open(scope, "w").write(Write.of("first", TextNode.valueOf("x")));
      recorder.awaitCount(1);
      // Answered after all that the subscription asked for in its beginning: nothing is under way.
      readers.open(scope, "r").read("first").toCompletableFuture().join();
      door.slam();
      CountDownLatch hinted = new CountDownLatch(1);
      readers
          .inbox()
          .onHint(hint -> {
            if (hint == bucket) {
              hinted.countDown();
            }
          });
      writers
          .open(scope, "w")
          .send(Write.of("k", TextNode.valueOf("x")), "someone")
          .toCompletableFuture()
          .join();
      door.open();
      assertThat(recorder.awaitCount(2).keys()).containsExactly("first", "k");
      assertThat(hinted.await(20, TimeUnit.SECONDS)).as("bucket hinted").isTrue();
    }
  }

  @Test
  void sweepFindsWhatWasNeverPushed() {
    BlackboardSettings sweeping =
        BlackboardSettings.DEFAULTS.withSweepInterval(Duration.ofMillis(30));
    try (RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
        RedisBlackboards blackboards = new RedisBlackboards(connections, sweeping)) {
      Recorder recorder =
          Recorder.eager().to(blackboards.open(scope, "r").subscribe("*", SubscribeFrom.now()));
      ScopeKeys keys = ScopeKeys.of(scope, sweeping.buckets());
      // As the script stores it, but not published.
      byte[] frame = "W 5-1 0-0 5 0 1 0 5 1 0 1 1 0\nwwk7".getBytes();
      connections
          .commands()
          .xadd(keys.events(), new XAddArgs().id("5-1"), Map.of("e", frame))
          .thenCompose(id -> connections.commands().hset(keys.base(), "p", id.getBytes()))
          .toCompletableFuture()
          .join();
      assertThat(recorder.awaitCount(1).keys()).containsExactly("k");
    }
  }
}
