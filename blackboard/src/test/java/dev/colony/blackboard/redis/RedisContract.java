package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardContract;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The contract over a Redis server somewhere. */
abstract class RedisContract extends BlackboardContract {

  private final List<RedisConnections> connections = new ArrayList<>();

  abstract String uri();

  @Override
  protected Blackboards connect(BlackboardSettings settings) {
    RedisConnections opened = new RedisConnections(uri(), Duration.ofSeconds(10));
    connections.add(opened);
    return new RedisBlackboards(opened, settings);
  }

  @Override
  protected void disconnect() {
    connections.forEach(RedisConnections::close);
  }
}
