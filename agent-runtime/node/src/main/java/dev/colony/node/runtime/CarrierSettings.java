package dev.colony.node.runtime;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/** The settings under {@code colony.agent.carriers}; reference.conf says what each means. */
record CarrierSettings(Duration stall, int most) {

  private static final int MOST = 256;

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  static CarrierSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.carriers");
    return new CarrierSettings(
        read.duration("stall", Duration.ofMillis(50), Duration.ofMinutes(1)),
        read.integer("most", 0, MOST));
  }
}
