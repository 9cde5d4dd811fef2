package dev.colony.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal;
import java.util.Optional;
import java.util.function.Supplier;

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
            Settings.read(ClientSettings.class, config),
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

  /**
   * The past of agents for a process that is no member of their cluster. Connects when it is first
   * asked for. Thread-safe.
   */
  private static final class DetachedHistory implements Supplier<AgentHistory>, AutoCloseable {

    private final String redisUri;
    private final Config config;
    private Optional<Journal> journal = Optional.empty();
    private Optional<AgentHistory> history = Optional.empty();
    private boolean closed;

    /**
     * @param config with the limits of the nodes
     */
    public DetachedHistory(String redisUri, Config config) {
      this.redisUri = redisUri;
      this.config = config;
    }

    /**
     * Connects if it has not yet; blocks meanwhile.
     *
     * @throws dev.colony.journal.JournalException if the journal there was laid out by other
     *     settings
     * @throws dev.colony.blackboard.BlackboardException if no server answers there
     * @throws IllegalStateException if it is closed
     */
    @Override
    public synchronized AgentHistory get() {
      if (closed) {
        throw new IllegalStateException("the history is closed");
      }
      if (history.isEmpty()) {
        Journal connected = Journal.open(redisUri, config);
        journal = Optional.of(connected);
        history =
            Optional.of(
                new AgentHistory(
                    connected.reader(StoredTypes::read),
                    new Lifecycle(RunLimits.fromConfig(config))));
      }
      return history.get();
    }

    @Override
    public synchronized void close() {
      closed = true;
      journal.ifPresent(Journal::close);
    }
  }
}
