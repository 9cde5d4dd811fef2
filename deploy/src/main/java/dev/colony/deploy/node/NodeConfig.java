package dev.colony.deploy.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.deploy.CommandFailure;
import dev.colony.inference.embedded.EmbeddedReplicaSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The configuration of a node, from strongest to weakest: options, file, ours, the libraries'. */
public final class NodeConfig {

  private static final String KV_TOKENS = "colony.agent.capacity.kv-tokens";

  private NodeConfig() {}

  /**
   * What holds where no node is started: the file over the defaults.
   *
   * @throws CommandFailure if the file is no HOCON or a setting is out of its range
   */
  public static Config base(Optional<Path> file) {
    Config defaults =
        ConfigFactory.parseResources(NodeConfig.class.getClassLoader(), "colony-node.conf")
            // Unresolved, so that what one section of a library takes from another follows ours.
            .withFallback(ConfigFactory.defaultReferenceUnresolved());
    try {
      return SettingsCheck.checked(
          ConfigFactory.defaultOverrides()
              .withFallback(
                  file.map(path -> ConfigFactory.parseFile(path.toFile()))
                      .orElse(ConfigFactory.empty()))
              .withFallback(defaults)
              .resolve());
    } catch (ConfigException bad) {
      throw SettingsCheck.refused(bad);
    }
  }

  /** The configuration of one node. */
  static Config of(NodeOptions options, Config base) {
    List<String> seeds =
        options.seeds().stream().map(seed -> "pekko://" + Node.SYSTEM + "@" + seed).toList();
    Map<String, Object> own = new HashMap<>();
    own.put("pekko.remote.artery.canonical.hostname", options.host());
    own.put("pekko.remote.artery.canonical.port", options.port());
    own.put("pekko.cluster.seed-nodes", seeds);
    own.put("pekko.cluster.min-nr-of-members", options.clusterSize());
    own.put("colony.agent.journal.redis-uri", options.redisUri());
    if (options.modelUrl().isEmpty() && unbounded(base)) {
      own.put(KV_TOKENS, tokens(EmbeddedReplicaSettings.fromConfig(base)));
    }
    return ConfigFactory.parseMap(own, "node options").withFallback(base);
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
