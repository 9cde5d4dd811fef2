package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.value.Text;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.InvalidConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The configuration of a node, from strongest to weakest: options, file, environment, ours, the
 * libraries'.
 */
public final class NodeConfig {

  /** Of a file of settings. */
  private static final int MOST_BYTES = 1 << 20;

  private static final String KV_TOKENS = "colony.agent.capacity.kv-tokens";
  private static final String DISCOVERY = NodeSettings.PATH + ".discovery";
  private static final String MANAGEMENT = "pekko.management.http.";
  private static final String BOOTSTRAP = "pekko.management.cluster.bootstrap.";
  private static final String GIVES_UP =
      "pekko.cluster.shutdown-after-unsuccessful-join-seed-nodes";
  private static final String CERTIFICATES = "pekko.remote.artery.ssl.rotating-keys-engine.";

  /** The inbox's readers, whose sharding is set up apart from that of agents. */
  private static final String DAEMONS = "pekko.cluster.sharded-daemon-process.sharding.";

  private static final String GRACE = "colony.agent.model-call-grace";
  private static final String UNBIND = "pekko.coordinated-shutdown.phases.service-unbind.timeout";

  /** What of a phase of the shutdown is left for others when calls have had all of their time. */
  private static final Duration SLACK = Duration.ofSeconds(5);

  private static final String HAND_OVER = "hand-over-retry-interval";

  /** A singleton that ends waits for so long before it learns that there is no other node. */
  private static final String TO_NO_ONE = "20ms";

  private NodeConfig() {}

  /**
   * What holds where no node is started: the file over the defaults.
   *
   * @throws InvalidConfigurationException if the file is no HOCON, a key of ours in it is no
   *     setting, or a setting is out of its range
   */
  public static Config base(Optional<Path> file) {
    return base(file, List.of());
  }

  /**
   * The same for a program that has settings of its own beside those of a node.
   *
   * @param others read them; what they throw is refused like a bad setting of a node
   */
  public static Config base(Optional<Path> file, List<Consumer<Config>> others) {
    try {
      Config own = file.map(NodeConfig::parsed).orElse(ConfigFactory.empty());
      Config given = ConfigFactory.defaultOverrides().withFallback(own);
      Config defaults = defaults();
      Config base = given.withFallback(defaults).resolve();
      if (!own.isEmpty()) {
        SettingsCheck.known(own.resolveWith(base), defaults.resolve());
      }
      boolean pods = base.getString(DISCOVERY).equals(NodeSettings.KUBERNETES_API);
      return SettingsCheck.checked(
          pods
              ? given
                  .withFallback(resource("colony-kubernetes.conf"))
                  .withFallback(defaults)
                  .resolve()
              : base,
          others);
    } catch (ConfigException bad) {
      throw SettingsCheck.refused(bad);
    }
  }

  /**
   * What a file says, unresolved; nothing where there is no such file. A device or a pipe is read
   * to a bound.
   *
   * @throws ConfigException if it cannot be read or is no HOCON
   */
  public static Config parsed(Path file) {
    try {
      if (!Files.exists(file) || Files.isRegularFile(file) && Files.size(file) <= MOST_BYTES) {
        return ConfigFactory.parseFile(file.toFile());
      }
      return ConfigFactory.parseString(Text.ofFile(file, MOST_BYTES));
    } catch (IOException | IllegalArgumentException unfit) {
      throw new ConfigException.Generic(file + " cannot be read: " + Text.message(unfit), unfit);
    }
  }

  private static Config defaults() {
    return resource("colony-node.conf")
        // Unresolved, so that what one section of a library takes from another follows ours.
        .withFallback(ConfigFactory.defaultReferenceUnresolved());
  }

  private static Config resource(String name) {
    return ConfigFactory.parseResources(NodeConfig.class.getClassLoader(), name);
  }

  /** The configuration of one node. */
  static Config of(NodeOptions options, Config base) {
    Map<String, Object> own = new HashMap<>();
    own.put("pekko.remote.artery.canonical.hostname", options.remoting().address().host());
    own.put("pekko.remote.artery.canonical.port", options.remoting().address().port());
    if (options.remoting().boundElsewhere()) {
      own.put("pekko.remote.artery.bind.hostname", options.remoting().bindHost());
    }
    own.put("pekko.cluster.min-nr-of-members", options.clusterSize());
    own.put("colony.agent.journal.redis-uri", options.redisUri());
    own.put(NodeSettings.API_PATH + ".enabled", options.api().isPresent());
    options.api().ifPresent(port -> own.put(NodeSettings.API_PATH + ".port", port));
    options.joining().management().ifPresent(management -> own.putAll(management(management)));
    own.putAll(joining(options));
    Duration grace = base.getDuration(GRACE).plus(SLACK);
    if (grace.compareTo(base.getDuration(UNBIND)) > 0) {
      own.put(UNBIND, grace);
    }
    NodeSettings settings = NodeSettings.fromConfig(base, options.configFile());
    own.put(GIVES_UP, settings.joinTimeout().toMillis() + "ms");
    settings.tls().ifPresent(directory -> own.putAll(certificates(directory)));
    if (options.modelUrl().isEmpty() && unbounded(base)) {
      own.put(KV_TOKENS, tokens(EmbeddedReplicaSettings.fromConfig(base)));
    }
    return ConfigFactory.parseMap(own, "node options").withFallback(base);
  }

  private static Map<String, Object> management(Listening management) {
    return Map.of(
        MANAGEMENT + "hostname", management.address().host(),
        MANAGEMENT + "port", management.address().port(),
        MANAGEMENT + "bind-hostname", management.bindHost());
  }

  private static Map<String, Object> joining(NodeOptions options) {
    String least = BOOTSTRAP + "contact-point-discovery.required-contact-point-nr";
    return switch (options.joining()) {
      case Joining.Alone alone ->
          Map.of(
              // No other node would use what is journaled of them.
              GRACE,
              "0s",
              "pekko.cluster.singleton." + HAND_OVER,
              TO_NO_ONE,
              "pekko.cluster.sharding.coordinator-singleton." + HAND_OVER,
              TO_NO_ONE,
              DAEMONS + "coordinator-singleton." + HAND_OVER,
              TO_NO_ONE);
      case Joining.ContactPoints known ->
          Map.of(
              least,
              options.clusterSize(),
              "pekko.discovery.config.services.colony.endpoints",
              known.contactPoints().stream()
                  .map(point -> Map.of("host", point.host(), "port", point.port()))
                  .toList());
      case Joining.KubernetesApi pods -> Map.of(least, options.clusterSize());
    };
  }

  /** Mutual TLS between the nodes, with files that may be replaced while they are used. */
  private static Map<String, Object> certificates(Path directory) {
    return Map.of(
        "pekko.remote.artery.transport",
        "tls-tcp",
        "pekko.remote.artery.ssl.ssl-engine-provider",
        "org.apache.pekko.remote.artery.tcp.ssl.RotatingKeysSSLEngineProvider",
        CERTIFICATES + "key-file",
        directory.resolve("tls.key").toString(),
        CERTIFICATES + "cert-file",
        directory.resolve("tls.crt").toString(),
        CERTIFICATES + "ca-cert-file",
        directory.resolve("ca.crt").toString());
  }

  private static boolean unbounded(Config base) {
    return CapacitySettings.fromConfig(base).node().kvTokens() == Long.MAX_VALUE;
  }

  /** What the cache of the replica holds; as many as the setting takes, if that is more. */
  private static int tokens(EmbeddedReplicaSettings replica) {
    return (int)
        Math.min(Integer.MAX_VALUE, (long) replica.blockTokens() * replica.capacityBlocks());
  }
}
