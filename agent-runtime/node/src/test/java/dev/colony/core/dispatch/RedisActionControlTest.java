package dev.colony.core.dispatch;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

/** Agent and controller have connections of their own. */
class RedisActionControlTest extends ActionControlContract {

  private static final Blackboards AGENTS = connect();
  private static final Blackboards OUTSIDE = connect();

  RedisActionControlTest() {
    super(AGENTS, OUTSIDE);
  }

  private static Blackboards connect() {
    return new RedisBlackboards(
        new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20)),
        BlackboardSettings.DEFAULTS);
  }

  @AfterAll
  static void close() {
    AGENTS.close();
    OUTSIDE.close();
  }
}
