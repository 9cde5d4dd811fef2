package dev.colony.client.session;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedisSessionsTest extends SessionsContract {

  private final RedisConnections connections =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  private final Blackboards blackboards =
      new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  @AfterEach
  void close() {
    blackboards.close();
    connections.close();
  }

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  @Test
  void whateverIsRepeatedCountsOnce() {
    List<Integer> repeats = Collections.nCopies(60, 2);
    totalsAreExact(repeats, new Random().nextLong());
  }
}
