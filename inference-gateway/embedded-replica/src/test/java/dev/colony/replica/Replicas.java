package dev.colony.replica;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Embedded replicas for tests: the defaults, with some settings replaced. */
public final class Replicas {

  private Replicas() {}

  /** Settings as lines of HOCON below {@code colony.inference.embedded}. */
  public static EmbeddedReplicaSettings settings(String... lines) {
    Config replaced =
        ConfigFactory.parseString(String.join("\n", lines)).atPath(EmbeddedReplicaSettings.PATH);
    return EmbeddedReplicaSettings.fromConfig(
        replaced.withFallback(ConfigFactory.parseResources("reference.conf").resolve()));
  }

  public static EmbeddedReplica start(String id, String... lines) {
    try {
      return EmbeddedReplica.start(id, settings(lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
