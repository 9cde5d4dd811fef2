package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardProperties;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;

class RedisPropertiesTest extends BoardProperties {

  private RedisConnections connections;

  @Override
  protected Blackboards connect() {
    connections = new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));
    return new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  }

  @Override
  protected void disconnect() {
    connections.close();
  }
}
