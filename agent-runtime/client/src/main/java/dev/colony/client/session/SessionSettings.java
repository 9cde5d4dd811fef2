package dev.colony.client.session;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/** The settings under {@code colony.agent.session}; reference.conf says what each means. */
public record SessionSettings(Duration keepRuns, Duration keep) {

  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration MOST = Duration.ofDays(36_500);

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static SessionSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.session");
    return new SessionSettings(
        read.duration("keep-runs", LEAST, MOST), read.duration("keep", LEAST, MOST));
  }
}
