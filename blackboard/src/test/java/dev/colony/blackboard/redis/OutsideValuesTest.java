package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardContract;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.payload.PayloadRig;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;

/** The contract where all values lie outside Redis, but for those that go to an inbox. */
class OutsideValuesTest extends BlackboardContract {

  private static final PayloadRig STORE = new PayloadRig();
  private static final RedisConnections CONNECTIONS =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));

  @Override
  protected Blackboards connect(BlackboardSettings settings) {
    return new RedisBlackboards(
        CONNECTIONS,
        settings,
        BlackboardListener.NONE,
        new BoardPayloads(CONNECTIONS, STORE.vaultOfAll(), settings.buckets()));
  }

  @Override
  protected boolean holdsValues() {
    return false;
  }

  @AfterAll
  static void close() {
    CONNECTIONS.close();
  }
}
