package dev.colony.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.DetachedHistory;

/**
 * A colony as a program outside the cluster reaches it: by the URL of its Redis, and nothing else.
 * Thread-safe; closing it ends its connections, not what it asked for.
 */
public final class ColonyClient implements AutoCloseable {

  private final RedisConnections redis;
  private final Blackboards blackboards;
  private final DetachedHistory history;
  private final Colony colony;

  private ColonyClient(
      RedisConnections redis, Blackboards blackboards, DetachedHistory history, Config config) {
    this.redis = redis;
    this.blackboards = blackboards;
    this.history = history;
    this.colony =
        new BlackboardColony(
            blackboards,
            HomeResolver.byHash(config.getInt("colony.agent.placement-units")),
            ClientSettings.fromConfig(config),
            history);
  }

  /**
   * Connects with the settings of the class path, which must agree with the cluster's on {@code
   * colony.agent.placement-units}.
   *
   * @param redisUrl for example {@code redis://127.0.0.1:6379}
   * @throws IllegalArgumentException if it is no Redis URL
   * @throws dev.colony.blackboard.BlackboardException if no server answers there, or Redis cannot
   *     be used
   */
  public static ColonyClient connect(String redisUrl) {
    return connect(redisUrl, ConfigFactory.load());
  }

  /** The same with settings of one's own. */
  public static ColonyClient connect(String redisUrl, Config config) {
    RedisConnections redis = new RedisConnections(redisUrl, RedisSettings.fromConfig(config));
    try {
      return new ColonyClient(
          redis,
          new RedisBlackboards(redis, BlackboardSettings.fromConfig(config)),
          new DetachedHistory(redisUrl, config),
          config);
    } catch (RuntimeException failure) {
      redis.close();
      throw failure;
    }
  }

  public Colony colony() {
    return colony;
  }

  public Blackboards blackboards() {
    return blackboards;
  }

  @Override
  public void close() {
    history.close();
    blackboards.close();
    redis.close();
  }
}
