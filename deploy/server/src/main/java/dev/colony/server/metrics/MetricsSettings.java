package dev.colony.server.metrics;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * How figures are taken; the keys are described in {@code reference.conf}.
 *
 * @param sampleInterval how often to look at what no module reports
 */
public record MetricsSettings(Duration sampleInterval) {

  private static final String PATH = "colony.metrics";

  /** Reads them; a value outside its range names its path, itself and the range. */
  public static MetricsSettings fromConfig(Config config) {
    SettingsReader settings = SettingsReader.of(config, PATH);
    return new MetricsSettings(
        settings.duration("sample-interval", Duration.ofSeconds(1), Duration.ofMinutes(10)));
  }
}
