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
 * @param topologyRefresh how often a cluster is asked for its layout while nothing goes wrong
 * @param tls for URLs that ask for TLS
 */
public record RedisSettings(
    Duration commandTimeout,
    Duration reconnectMin,
    Duration reconnectMax,
    int requestQueue,
    Duration silentAfter,
    Duration topologyRefresh,
    RedisTls tls) {

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
    check(positive(topologyRefresh), "topology-refresh", topologyRefresh, "more than 0");
  }

  /** The defaults of {@code reference.conf}, with another command timeout. */
  public static RedisSettings withTimeout(Duration commandTimeout) {
    return new RedisSettings(
        commandTimeout,
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        100_000,
        Duration.ofSeconds(2),
        Duration.ofSeconds(30),
        RedisTls.DEFAULTS);
  }

  /** Reads {@code colony.blackboard.redis}. */
  public static RedisSettings fromConfig(Config config) {
    Config redis = config.getConfig(ROOT);
    return new RedisSettings(
        redis.getDuration("command-timeout"),
        redis.getDuration("reconnect-min"),
        redis.getDuration("reconnect-max"),
        redis.getInt("request-queue"),
        redis.getDuration("silent-after"),
        redis.getDuration("topology-refresh"),
        RedisTls.fromConfig(redis));
  }

  public RedisSettings withCommandTimeout(Duration newCommandTimeout) {
    return new RedisSettings(
        newCommandTimeout,
        reconnectMin,
        reconnectMax,
        requestQueue,
        silentAfter,
        topologyRefresh,
        tls);
  }

  public RedisSettings withReconnect(Duration min, Duration max) {
    return new RedisSettings(
        commandTimeout, min, max, requestQueue, silentAfter, topologyRefresh, tls);
  }

  public RedisSettings withRequestQueue(int newRequestQueue) {
    return new RedisSettings(
        commandTimeout,
        reconnectMin,
        reconnectMax,
        newRequestQueue,
        silentAfter,
        topologyRefresh,
        tls);
  }

  public RedisSettings withSilentAfter(Duration newSilentAfter) {
    return new RedisSettings(
        commandTimeout,
        reconnectMin,
        reconnectMax,
        requestQueue,
        newSilentAfter,
        topologyRefresh,
        tls);
  }

  public RedisSettings withTls(RedisTls newTls) {
    return new RedisSettings(
        commandTimeout,
        reconnectMin,
        reconnectMax,
        requestQueue,
        silentAfter,
        topologyRefresh,
        newTls);
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
