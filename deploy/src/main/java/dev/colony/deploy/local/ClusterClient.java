package dev.colony.deploy.local;

import com.typesafe.config.Config;
import dev.colony.agent.Colony;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.client.BlackboardColony;
import dev.colony.agent.client.ClientSettings;
import dev.colony.agent.entity.AgentSettings;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.node.Node;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import java.util.function.Consumer;

/** What a process outside the cluster needs of it: Redis, and nothing else. */
final class ClusterClient implements AutoCloseable {

  private final RedisConnections redis;
  private final Blackboards blackboards;
  private final Colony colony;
  private final PageStore pages;

  private ClusterClient(RedisConnections redis, Config config) {
    this.redis = redis;
    this.blackboards = new RedisBlackboards(redis, BlackboardSettings.fromConfig(config));
    this.colony =
        new BlackboardColony(
            blackboards,
            HomeResolver.byHash(AgentSettings.fromConfig(config).placementUnits()),
            ClientSettings.fromConfig(config));
    this.pages =
        new BlackboardPageStore(
            blackboards, Node.PAGES_TENANT, "client", StoreSettings.fromConfig(config));
  }

  /**
   * Connects.
   *
   * @param notice told when Redis stops to answer and when it is back
   * @throws CommandFailure if nobody answers there
   */
  static ClusterClient connect(String redisUri, Config config, Consumer<String> notice) {
    RedisConnections redis;
    try {
      redis = new RedisConnections(redisUri, RedisSettings.fromConfig(config));
    } catch (BlackboardException failure) {
      throw new CommandFailure(ExitCode.REDIS_UNAVAILABLE, failure.getMessage(), failure);
    }
    redis.onAvailability(available ->
        notice.accept(
            available
                ? "Redis at " + redis.address() + " is back"
                : "Redis at " + redis.address() + " does not answer; waiting for it"));
    return new ClusterClient(redis, config);
  }

  Blackboards blackboards() {
    return blackboards;
  }

  Colony colony() {
    return colony;
  }

  PageStore pages() {
    return pages;
  }

  @Override
  public void close() {
    blackboards.close();
    redis.close();
  }
}
