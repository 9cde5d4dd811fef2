package dev.colony.replica;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.replica.EmbeddedReplica.Bounds;
import dev.colony.replica.Engine.TimeModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** Embedded replicas for tests: the defaults, with some settings replaced. */
public final class Replicas {

  private static final Bounds USUAL = Bounds.USUAL;

  private Replicas() {}

  /** Settings as lines of HOCON below {@code colony.inference.embedded}. */
  public static EmbeddedReplicaSettings settings(String... lines) {
    Config replaced =
        ConfigFactory.parseString(String.join("\n", lines)).atPath(EmbeddedReplicaSettings.PATH);
    return EmbeddedReplicaSettings.fromConfig(
        replaced.withFallback(ConfigFactory.parseResources("reference.conf").resolve()));
  }

  public static EmbeddedReplica start(String... lines) {
    return start(USUAL, lines);
  }

  /** One that publishes each change of its residency by itself. */
  public static EmbeddedReplica prompt(String... lines) {
    return start(following(Duration.ZERO), lines);
  }

  static EmbeddedReplica start(Bounds bounds, String... lines) {
    try {
      return EmbeddedReplica.start(settings(lines), bounds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Bounds reading(int maxRequestBytes, Duration requestTimeout) {
    return new Bounds(
        USUAL.time(), USUAL.maxBatchedTokens(), maxRequestBytes, requestTimeout, USUAL.coalesce());
  }

  static Bounds following(Duration coalesce) {
    return new Bounds(
        USUAL.time(),
        USUAL.maxBatchedTokens(),
        USUAL.maxRequestBytes(),
        USUAL.requestTimeout(),
        coalesce);
  }

  static Bounds time(TimeModel time) {
    return new Bounds(
        time,
        USUAL.maxBatchedTokens(),
        USUAL.maxRequestBytes(),
        USUAL.requestTimeout(),
        USUAL.coalesce());
  }

  static Bounds prefilling(int tokensPerSecond) {
    TimeModel usual = USUAL.time();
    return time(
        new TimeModel(
            1,
            tokensPerSecond,
            usual.attentionTokens(),
            usual.decodeStep(),
            usual.decodePerCall(),
            usual.decodePerThousandTokens()));
  }
}
