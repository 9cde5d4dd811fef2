package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.blackboard.value.Text;
import dev.colony.client.ClientSettings;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.journal.JournalSettings;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.library.page.SourceTrees.SourceToolSettings;
import dev.colony.mcp.McpSettings;
import dev.colony.node.entity.AgentSettings;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.mcp.McpServer.McpServerSettings;
import dev.colony.server.metrics.NodeMetrics.MetricsSettings;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.server.node.RedisLease.LeaseTerms;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.PlacementSettings;
import dev.colony.vcm.table.TableSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

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
      boolean pods = base.getString(DISCOVERY).equals("kubernetes-api");
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

  static Config of(NodeOptions options, Config base) {
    Map<String, Object> own = new HashMap<>();
    own.put("pekko.remote.artery.canonical.hostname", options.remoting().address().host());
    own.put("pekko.remote.artery.canonical.port", options.remoting().address().port());
    if (options.remoting().boundElsewhere()) {
      own.put("pekko.remote.artery.bind.hostname", options.remoting().bindHost());
    }
    own.put("pekko.cluster.min-nr-of-members", options.clusterSize());
    own.put("colony.agent.journal.redis-uri", options.redisUri());
    own.put("colony.http.enabled", options.api().isPresent());
    options.api().ifPresent(port -> own.put("colony.http.port", port));
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

  /** A lease of Kubernetes has times of its own. */
  private static void leaseFits(Config config) {
    if (config.getString("colony.node.lease.provider").equals("redis")) {
      LeaseTerms.check(config);
    }
  }

  private static boolean unbounded(Config base) {
    return CapacitySettings.fromConfig(base).node().kvTokens() == Long.MAX_VALUE;
  }

  /** What the cache of the replica holds; as many as the setting takes, if that is more. */
  private static int tokens(EmbeddedReplicaSettings replica) {
    return (int) Math.min(Integer.MAX_VALUE, replica.cacheTokens());
  }

  /** Reads all settings of a node once, before anything starts that would fail on a bad one. */
  static final class SettingsCheck {

    private static final String OURS = "colony.";
    private static final Path ANYWHERE = Path.of("");

    private static final List<Class<? extends Record>> SECTIONS =
        List.of(
            AccessSettings.class,
            AgentSettings.class,
            ClientSettings.class,
            CodeSettings.class,
            EmbeddedReplicaSettings.class,
            GroupingSettings.class,
            HttpSettings.class,
            HttpToolSettings.class,
            McpServerSettings.class,
            MetricsSettings.class,
            PayloadSettings.class,
            RoutingSettings.class,
            SourceToolSettings.class);

    /** Those that more than one section makes, or that have constants beside what is read. */
    private static final List<Consumer<Config>> READERS =
        List.of(
            RunLimits::fromConfig,
            CapacitySettings::fromConfig,
            JournalSettings::fromConfig,
            config -> NodeSettings.fromConfig(config, Optional.empty()),
            NodeConfig::leaseFits,
            BlackboardSettings::fromConfig,
            RedisSettings::fromConfig,
            config -> ServerSettings.fromConfig(config, ANYWHERE),
            GatewaySettings::fromConfig,
            ReplicaSettings::fromConfig,
            McpSettings::fromConfig,
            ModelCatalog::fromConfig,
            PlacementSettings::fromConfig,
            SourceSettings::fromConfig,
            StoreSettings::fromConfig,
            TableSettings::fromConfig);

    private SettingsCheck() {}

    /**
     * Gives the configuration back.
     *
     * @param others read settings that no part of a node has
     * @throws InvalidConfigurationException naming the first bad setting, its value and what is
     *     allowed
     */
    static Config checked(Config config, List<Consumer<Config>> others) {
      try {
        SECTIONS.forEach(section -> Settings.read(section, config));
        READERS.forEach(reader -> reader.accept(config));
        others.forEach(reader -> reader.accept(config));
        return config;
      } catch (ConfigException | IllegalArgumentException bad) {
        throw refused(bad);
      }
    }

    /**
     * A key that no setting has is a slip of the pen: what it was to change would stay as it is.
     *
     * @param given what a file holds
     * @throws InvalidConfigurationException naming the first key of ours that is not among the
     *     defaults
     */
    static void known(Config given, Config defaults) {
      given.entrySet().stream()
          .map(Map.Entry::getKey)
          .filter(key -> key.startsWith(OURS) && !setting(key, defaults))
          .min(Comparator.naturalOrder())
          .ifPresent(unknown -> {
            throw new InvalidConfigurationException(
                "configuration: %s: there is no setting %s; docs/reference/configuration.md has all of them"
                    .formatted(given.origin().filename(), unknown));
          });
    }

    /**
     * Also one of a map whose keys the operator chooses: its default is empty, and what is within
     * it its reader checks.
     */
    private static boolean setting(String key, Config defaults) {
      List<String> path = ConfigUtil.splitPath(key);
      return defaults.hasPath(key)
          || IntStream.range(1, path.size())
              .mapToObj(levels -> ConfigUtil.joinPath(path.subList(0, levels)))
              .anyMatch(above ->
                  defaults.hasPath(above)
                      && defaults.getValue(above) instanceof ConfigObject map
                      && map.isEmpty());
    }

    static InvalidConfigurationException refused(RuntimeException bad) {
      return new InvalidConfigurationException(
          "configuration: " + bad.getMessage().lines().findFirst().orElse(""), bad);
    }
  }

  /** The types of the class path, of which a part is the user's own. */
  static final class ClassPathTypes {

    private ClassPathTypes() {}

    /**
     * @param installed looks for them
     * @throws InvalidConfigurationException if a jar names a provider that cannot be loaded, or one
     *     fails
     */
    static AgentTypes of(Supplier<AgentTypes> installed) {
      try {
        return installed.get();
      } catch (ServiceConfigurationError | LinkageError | IllegalStateException broken) {
        String why = Optional.ofNullable(broken.getCause()).orElse(broken).getMessage();
        throw new InvalidConfigurationException(
            "the agents' types cannot be loaded: " + why, broken);
      }
    }
  }
}
