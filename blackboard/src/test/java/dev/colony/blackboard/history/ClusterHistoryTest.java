package dev.colony.blackboard.history;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedisCluster;
import java.time.Duration;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class ClusterHistoryTest extends HistoryContract {

  private static RedisConnections connections;
  private static RedisBlackboards blackboards;

  @BeforeContainer
  static void connect() {
    connections = new RedisConnections(TestRedisCluster.shared().uri(), Duration.ofSeconds(30));
    blackboards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  }

  @AfterContainer
  static void disconnect() {
    blackboards.close();
    connections.close();
  }

  @Override
  Blackboards blackboards() {
    return blackboards;
  }
}
