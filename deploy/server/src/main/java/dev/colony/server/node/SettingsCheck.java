package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.client.ClientSettings;
import dev.colony.client.http.HttpClientSettings;
import dev.colony.code.CodeSettings;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.gateway.FeedSettings;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.journal.JournalSettings;
import dev.colony.mcp.McpSettings;
import dev.colony.node.entity.AgentSettings;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.access.AccessSettings;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.lease.LeaseTerms;
import dev.colony.server.metrics.MetricsSettings;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.settings.QuerySettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.settings.TableSettings;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Reads all settings of a node once, before anything starts that would fail on a bad one. */
final class SettingsCheck {

  private static final String OURS = "colony.";
  private static final Path ANYWHERE = Path.of("");

  private static final List<Consumer<Config>> READERS =
      List.of(
          AccessSettings::fromConfig,
          AgentSettings::fromConfig,
          CapacitySettings::fromConfig,
          ClientSettings::fromConfig,
          HttpClientSettings::fromConfig,
          JournalSettings::fromConfig,
          config -> NodeSettings.fromConfig(config, Optional.empty()),
          BlackboardSettings::fromConfig,
          RedisSettings::fromConfig,
          config -> ServerSettings.fromConfig(config, ANYWHERE),
          EmbeddedReplicaSettings::fromConfig,
          FeedSettings::fromConfig,
          GatewaySettings::fromConfig,
          ReplicaSettings::fromConfig,
          RoutingSettings::fromConfig,
          HttpSettings::fromConfig,
          McpSettings::fromConfig,
          CodeSettings::fromConfig,
          ModelCatalog::fromConfig,
          GraphSettings::fromConfig,
          GroupingSettings::fromConfig,
          IndexSettings::fromConfig,
          PlacementSettings::fromConfig,
          QuerySettings::fromConfig,
          SourceSettings::fromConfig,
          StoreSettings::fromConfig,
          TableSettings::fromConfig,
          LeaseTerms::fromConfig,
          MetricsSettings::fromConfig);

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
              "configuration: %s: there is no setting %s; docs/configuration.md has all of them"
                  .formatted(given.origin().filename(), unknown));
        });
  }

  /**
   * Also one of a map whose keys the operator chooses: its default is empty, and what is within it
   * its reader checks.
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
