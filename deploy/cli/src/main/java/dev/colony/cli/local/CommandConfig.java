package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.node.NodeConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a command: that of a node, and what commands have beside it. What each key
 * means stands in {@code reference.conf}.
 */
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
            config -> Settings.read(RunSettings.class, config),
            config -> Settings.read(UpSettings.class, config)));
  }

  /**
   * What {@code colony run} makes of its run.
   *
   * @param waitingNotice how long a model server may be silent until a person is told
   * @param mostUnread which part of the pages may go unread in a run that counts as answered
   */
  @Section("colony.run")
  public record RunSettings(
      @Range(min = "100ms", max = "1h") Duration waitingNotice,
      @Range(min = "0", max = "1") double mostUnread) {

    public static RunSettings fromConfig(Config config) {
      return Settings.read(RunSettings.class, config);
    }
  }

  /**
   * How often a node that {@code colony up} started is started again when it has died.
   *
   * @param most how often within a while; 0 for never
   */
  @Section("colony.up.restarts")
  public record UpSettings(@Range(min = "0", max = "1000") int most) {

    public static UpSettings fromConfig(Config config) {
      return Settings.read(UpSettings.class, config);
    }
  }
}
