package dev.colony.blackboard.redis;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How this process speaks to Redis.
 *
 * @param commandTimeout how long one command may take, reconnects included, before it fails
 * @param reconnectMin the pause before the first attempt to reconnect; doubles with each attempt
 * @param reconnectMax the longest such pause
 * @param requestQueue how many commands may be under way or waiting for a connection
 * @param silentAfter how long Redis may leave a question unanswered before it counts as away
 */
public record RedisSettings(
    Duration commandTimeout,
    Duration reconnectMin,
    Duration reconnectMax,
    int requestQueue,
    Duration silentAfter) {

  private static final String ROOT = "colony.blackboard.redis";

  public RedisSettings {
    check(positive(commandTimeout), "command-timeout", commandTimeout, "more than 0");
    check(reconnectMin.toMillis() >= 1, "reconnect-min", reconnectMin, "at least 1 ms");
    check(
        reconnectMax.compareTo(reconnectMin) > 0,
        "reconnect-max",
        reconnectMax,
        "more than reconnect-min (" + reconnectMin + ")");
    check(requestQueue >= 1, "request-queue", requestQueue, "at least 1");
    check(positive(silentAfter), "silent-after", silentAfter, "more than 0");
  }

  /** The defaults of {@code reference.conf}, with another command timeout. */
  public static RedisSettings withTimeout(Duration commandTimeout) {
    return new RedisSettings(
        commandTimeout,
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        100_000,
        Duration.ofSeconds(2));
  }

  /** Reads {@code colony.blackboard.redis}. */
  public static RedisSettings fromConfig(Config config) {
    Config redis = config.getConfig(ROOT);
    return new RedisSettings(
        redis.getDuration("command-timeout"),
        redis.getDuration("reconnect-min"),
        redis.getDuration("reconnect-max"),
        redis.getInt("request-queue"),
        redis.getDuration("silent-after"));
  }

  private static boolean positive(Duration duration) {
    return duration.compareTo(Duration.ZERO) > 0;
  }

  private static void check(boolean holds, String key, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(
          ROOT + "." + key + " is " + value + ", but must be " + allowed);
    }
  }
}
