package dev.colony.agent.entity;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

/** With a server of its own: a node reads all inboxes that are there. */
class RedisWakingTest extends WakingContract {

  private final TestRedis redis = TestRedis.start(Fsync.NO);

  @Override
  Blackboards connect() {
    return new RedisBlackboards(
        new RedisConnections(redis.uri(), Duration.ofSeconds(20)),
        BlackboardSettings.DEFAULTS.withEvents(
            new BlackboardSettings.Events(KEPT_EVENTS, KEPT_EVENTS, 1 << 20)));
  }

  @AfterAll
  @Override
  void stop() {
    super.stop();
    redis.close();
  }
}
