package dev.colony.blackboard.fault;

import static dev.colony.blackboard.fault.LostTailContract.assertEventsLost;
import static dev.colony.blackboard.fault.LostTailContract.keys;
import static dev.colony.blackboard.fault.LostTailContract.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestSentinel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A sentinel promotes a replica that had not got the primary's last writes. */
class SentinelFailoverTest {

  private static final int KEPT = 10;
  private static final int LOST = 5;

  @Test
  void subscribersAreToldWhatTheFailoverLost() {
    try (TestSentinel redis = TestSentinel.start();
        RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(60));
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(Scope.session("t", "c", "s"), "w");
      Recorder live = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
      write(board, "kept", KEPT);
      redis.primary().shell().awaitReplica();
      cutReplica(redis);
      Position last = write(board, "lost", LOST);
      live.awaitCount(KEPT + LOST);

      redis.primary().kill();
      redis.awaitPromotion();
      assertEventsLost(live);
      assertThat(live.events()).hasSize(KEPT + LOST);
      Recorder back = Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(last)));
      assertEventsLost(back);
      write(board, "new", 1);
      Recorder all = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
      assertThat(all.awaitCount(KEPT + 1).keys().subList(0, KEPT)).isEqualTo(keys("kept", KEPT));
      assertThat(all.keys()).last().isEqualTo("new0");
    }
  }

  /** A password that the primary does not know keeps the replica from coming back to it. */
  private static void cutReplica(TestSentinel redis) {
    redis.replica().shell().command("CONFIG SET masterauth wrong");
    redis.primary().shell().command("CLIENT KILL TYPE replica");
    await("the replica is away")
        .atMost(Fault.PATIENCE)
        .until(() ->
            redis.primary().shell().command("INFO replication").contains("connected_slaves:0"));
  }
}
