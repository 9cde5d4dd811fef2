package dev.colony.node.resumption;

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

/** With a server of its own: a sweep looks at all who are suspended there. */
class RedisResumptionsTest {

  private static TestRedis redis;
  private static RedisConnections connections;
  private static Blackboards blackboards;

  @BeforeAll
  static void start() {
    redis = TestRedis.start(Fsync.NO);
    connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
    blackboards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  }

  @AfterAll
  static void stop() {
    blackboards.close();
    connections.close();
    redis.close();
  }

  @Nested
  class Levels extends LevelsContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }

  @Nested
  class Latches extends LatchesContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }

  @Nested
  class Entries extends EntriesContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }

  @Nested
  class Deaths extends DeathsContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }

    @Override
    int stride() {
      return 5;
    }
  }
}
