package dev.colony.core.hook;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/** The settings under {@code colony.agent.hook}; reference.conf says what each means. */
public record HookSettings(Duration timeout, int maxHooks) {

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static HookSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.hook");
    return new HookSettings(
        read.duration("timeout", Duration.ofMillis(1), Duration.ofHours(1)),
        read.integer("max", 1, 10_000));
  }
}
