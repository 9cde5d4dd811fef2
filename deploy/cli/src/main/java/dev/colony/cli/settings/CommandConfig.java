package dev.colony.cli.settings;

import com.typesafe.config.Config;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.node.NodeConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The configuration of a command: that of a node, and what commands have beside it. */
public final class CommandConfig {

  private CommandConfig() {}

  /**
   * The file over the defaults.
   *
   * @throws InvalidConfigurationException if the file is no HOCON, a key of ours in it is no
   *     setting, or a setting is out of its range
   */
  public static Config base(Optional<Path> file) {
    return NodeConfig.base(
        file,
        List.of(
            RunSettings::fromConfig,
            TalkSettings::fromConfig,
            UpSettings::fromConfig,
            McpStdioSettings::fromConfig));
  }
}
