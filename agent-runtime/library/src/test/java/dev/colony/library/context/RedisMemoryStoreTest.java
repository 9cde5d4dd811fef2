package dev.colony.library.context;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

class RedisMemoryStoreTest extends MemoryStoreContract {

  private final RedisConnections connections =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));
  private final Blackboards blackboards =
      new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  @Override
  Blackboard board() {
    return blackboards.open(
        Scope.agent("acme", "lab", "ada" + UUID.randomUUID()).namespace("memory"), "ada");
  }

  @AfterEach
  void close() {
    blackboards.close();
    connections.close();
  }
}
