package dev.colony.node.runtime;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** With a server of its own: a node reads all inboxes that are there. */
class RedisInboxTest {

  private static TestRedis redis;

  @BeforeAll
  static void start() {
    redis = TestRedis.start(Fsync.NO);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Nested
  class Requests extends RequestContract {
    @Override
    Blackboards connect() {
      return client();
    }
  }

  @Nested
  class Wakes extends WakingContract {
    @Override
    Blackboards connect() {
      return client();
    }
  }

  private static Blackboards client() {
    return new RedisBlackboards(
        new RedisConnections(redis.uri(), Duration.ofSeconds(20)),
        BlackboardSettings.DEFAULTS.withEvents(InboxFixture.EVENTS));
  }
}
