package dev.colony.blackboard.redis;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How this process speaks to Redis.
 *
 * @param commandTimeout how long one command may take, reconnects included, before it fails
 * @param reconnectMin the pause before the first attempt to reconnect; doubles with each attempt
 * @param reconnectMax the longest such pause
 * @param requestQueue how many commands may be under way or waiting for a connection
 * @param silentAfter how long Redis may leave a question unanswered before it counts as away
 * @param topologyRefresh how often a cluster is asked for its layout while nothing goes wrong
 * @param waitReplicas how many replicas have to have a change before it counts as stored; 0 for
 *     none
 * @param allowNoAof whether a server may be used that keeps nothing over a restart
 * @param tls for URLs that ask for TLS
 */
public record RedisSettings(
    Duration commandTimeout,
    Duration reconnectMin,
    Duration reconnectMax,
    int requestQueue,
    Duration silentAfter,
    Duration topologyRefresh,
    int waitReplicas,
    boolean allowNoAof,
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
    check(waitReplicas >= 0 && waitReplicas <= 100, "wait-replicas", waitReplicas, "0 to 100");
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
        0,
        false,
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
        redis.getInt("wait-replicas"),
        redis.getBoolean("allow-no-aof"),
        RedisTls.fromConfig(redis));
  }

  public RedisSettings withCommandTimeout(Duration newCommandTimeout) {
    return with(fields -> fields.commandTimeout = newCommandTimeout);
  }

  public RedisSettings withReconnect(Duration min, Duration max) {
    return with(fields -> {
      fields.reconnectMin = min;
      fields.reconnectMax = max;
    });
  }

  public RedisSettings withRequestQueue(int newRequestQueue) {
    return with(fields -> fields.requestQueue = newRequestQueue);
  }

  public RedisSettings withSilentAfter(Duration newSilentAfter) {
    return with(fields -> fields.silentAfter = newSilentAfter);
  }

  public RedisSettings withWaitReplicas(int newWaitReplicas) {
    return with(fields -> fields.waitReplicas = newWaitReplicas);
  }

  public RedisSettings withAllowNoAof(boolean newAllowNoAof) {
    return with(fields -> fields.allowNoAof = newAllowNoAof);
  }

  public RedisSettings withTls(RedisTls newTls) {
    return with(fields -> fields.tls = newTls);
  }

  private RedisSettings with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.settings();
  }

  /** The components, to change some of them. */
  private static final class Fields {

    private Duration commandTimeout;
    private Duration reconnectMin;
    private Duration reconnectMax;
    private int requestQueue;
    private Duration silentAfter;
    private final Duration topologyRefresh;
    private int waitReplicas;
    private boolean allowNoAof;
    private RedisTls tls;

    Fields(RedisSettings of) {
      commandTimeout = of.commandTimeout;
      reconnectMin = of.reconnectMin;
      reconnectMax = of.reconnectMax;
      requestQueue = of.requestQueue;
      silentAfter = of.silentAfter;
      topologyRefresh = of.topologyRefresh;
      waitReplicas = of.waitReplicas;
      allowNoAof = of.allowNoAof;
      tls = of.tls;
    }

    RedisSettings settings() {
      return new RedisSettings(
          commandTimeout,
          reconnectMin,
          reconnectMax,
          requestQueue,
          silentAfter,
          topologyRefresh,
          waitReplicas,
          allowNoAof,
          tls);
    }
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
