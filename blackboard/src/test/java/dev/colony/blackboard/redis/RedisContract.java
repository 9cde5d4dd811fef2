package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardContract;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

/** The contract over a Redis server somewhere, with connections that a class's tests share. */
abstract class RedisContract extends BlackboardContract {

  private static RedisConnections connections;

  abstract String uri();

  @Override
  protected Blackboards connect(BlackboardSettings settings) {
    if (connections == null) {
      connections = new RedisConnections(uri(), Duration.ofSeconds(10));
    }
    return new RedisBlackboards(connections, settings);
  }

  @AfterAll
  static void closeConnections() {
    if (connections != null) {
      connections.close();
      connections = null;
    }
  }
}
