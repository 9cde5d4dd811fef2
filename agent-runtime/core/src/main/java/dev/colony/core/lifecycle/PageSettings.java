package dev.colony.core.lifecycle;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/** The settings under {@code colony.agent.pages}; reference.conf says what each means. */
public record PageSettings(Duration reloadAfter, Duration leastStay) {

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PageSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.pages");
    return new PageSettings(
        read.duration("reload-after", Duration.ofMillis(10), Duration.ofDays(1)),
        read.duration("least-stay", Duration.ZERO, Duration.ofHours(1)));
  }
}
