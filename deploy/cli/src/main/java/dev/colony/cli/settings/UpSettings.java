package dev.colony.cli.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * How often a node that {@code colony up} started is started again when it has died; the keys are
 * described in {@code reference.conf}.
 *
 * @param most how often within the window; 0 for never
 * @param within the window
 * @param pauseMin before the first start of a window; doubles with each
 * @param pauseMax the longest pause
 */
public record UpSettings(int most, Duration within, Duration pauseMin, Duration pauseMax) {

  private static final String PATH = "colony.up.restarts";
  private static final int MOST = 1_000;
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Reads them; a value outside its range names its path, itself and the range. */
  public static UpSettings fromConfig(Config config) {
    SettingsReader restarts = SettingsReader.of(config, PATH);
    UpSettings settings =
        new UpSettings(
            restarts.integer("most", 0, MOST),
            restarts.duration("within", SHORTEST, LONGEST),
            restarts.duration("pause-min", SHORTEST, LONGEST),
            restarts.duration("pause-max", SHORTEST, LONGEST));
    if (settings.pauseMax.compareTo(settings.pauseMin) < 0) {
      throw new ConfigException.BadValue(
          PATH + ".pause-max",
          "is %s, but must be at least pause-min (%s)"
              .formatted(settings.pauseMax, settings.pauseMin));
    }
    return settings;
  }
}
