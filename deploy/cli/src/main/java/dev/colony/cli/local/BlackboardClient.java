package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalException;
import java.util.function.Consumer;

/** The blackboard of a cluster, for a process that needs nothing else of it. */
public final class BlackboardClient implements AutoCloseable {

  private final RedisConnections redis;
  private final Blackboards blackboards;

  private BlackboardClient(RedisConnections redis, Blackboards blackboards) {
    this.redis = redis;
    this.blackboards = blackboards;
  }

  /**
   * Connects.
   *
   * @param notice told when Redis stops to answer and when it is back
   * @throws CommandFailure if it is no Redis URL
   * @throws dev.colony.blackboard.BlackboardException if no server answers there, or Redis cannot
   *     be used
   */
  public static BlackboardClient connect(String redisUri, Config config, Consumer<String> notice) {
    RedisConnections redis = open(redisUri, config);
    try {
      redis.onAvailability(available ->
          notice.accept(
              available
                  ? "Redis at " + redis.address() + " is back"
                  : "Redis at " + redis.address() + " does not answer; waiting for it"));
      return new BlackboardClient(
          redis, new RedisBlackboards(redis, BlackboardSettings.fromConfig(config)));
    } catch (RuntimeException failure) {
      redis.close();
      throw failure;
    }
  }

  private static RedisConnections open(String redisUri, Config config) {
    try {
      return new RedisConnections(redisUri, RedisSettings.fromConfig(config));
    } catch (IllegalArgumentException unusable) {
      throw CommandFailure.badInput(unusable.getMessage(), unusable);
    }
  }

  public Blackboards blackboards() {
    return blackboards;
  }

  @Override
  public void close() {
    blackboards.close();
    redis.close();
  }

  /**
   * Opens the journal of a cluster, for a command that is no member of it.
   *
   * @throws CommandFailure if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if no server answers there
   */
  public static Journal journal(String redisUri, Config config) {
    try {
      return Journal.open(redisUri, config);
    } catch (JournalException otherLayout) {
      throw CommandFailure.badInput(otherLayout.getMessage(), otherLayout);
    }
  }
}
