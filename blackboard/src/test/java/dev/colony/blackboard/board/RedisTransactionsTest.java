package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import net.jqwik.api.lifecycle.AfterProperty;

class RedisTransactionsTest extends ConcurrentTransactions {

  private final RedisConnections connections =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));
  private final Blackboards blackboards =
      new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  @AfterProperty
  void close() {
    blackboards.close();
    connections.close();
  }
}
