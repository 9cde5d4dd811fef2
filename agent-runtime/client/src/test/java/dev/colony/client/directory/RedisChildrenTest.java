package dev.colony.client.directory;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

class RedisChildrenTest {

  private final RedisConnections connections =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  private final Blackboards blackboards =
      new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  @AfterEach
  void close() {
    blackboards.close();
    connections.close();
  }

  @Nested
  class Spawned extends ChildrenContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }

  @Nested
  class Ended extends ChildrenEndContract {
    @Override
    Blackboards blackboards() {
      return blackboards;
    }
  }
}
