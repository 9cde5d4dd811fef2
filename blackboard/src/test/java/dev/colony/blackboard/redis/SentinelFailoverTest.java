package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.server.TestSentinel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sentinels promote a replica in the place of a primary that died. */
class SentinelFailoverTest {

  private final Scope scope = Scope.agent("t", "c", "a");

  @Test
  void writersAndSubscribersGoOnAtThePromotedReplica() {
    try (TestSentinel sentinel = TestSentinel.start();
        RedisConnections redis = new RedisConnections(sentinel.uri(), Duration.ofSeconds(20));
        RedisBlackboards blackboards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(scope, "w");
      Recorder recorder = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
      write(board, "before");
      recorder.awaitCount(1);
      sentinel.awaitReplicated();
      sentinel.primary().kill();
      write(board, "after");
      assertThat(recorder.awaitCount(2).keys()).containsExactly("before", "after");
    }
  }

  @Test
  void subscriberIsToldOfWhatAFailoverLost() {
    try (TestSentinel sentinel = TestSentinel.start();
        RedisConnections redis = new RedisConnections(sentinel.uri(), Duration.ofSeconds(20));
        RedisBlackboards blackboards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(scope, "w");
      Recorder recorder = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
      write(board, "kept");
      sentinel.awaitReplicated();
      sentinel.cutReplica();
      write(board, "lost");
      assertThat(recorder.awaitCount(2).keys()).containsExactly("kept", "lost");
      sentinel.primary().kill();
      write(board, "after");
      assertThat(recorder.failure())
          .isInstanceOfSatisfying(
              BlackboardException.class,
              failure -> assertThat(failure.reason()).isEqualTo(Reason.EVENTS_LOST));
    }
  }

  private static void write(Blackboard board, String key) {
    WriteResult result =
        board.write(Write.of(key, TextNode.valueOf("x"))).toCompletableFuture().join();
    assertThat(result).isInstanceOf(WriteResult.Written.class);
  }
}
