package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How sources are watched; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record WatchSettings(
    Duration debounce, Duration pollInterval, int mostDirectories, int mostChanges) {

  private static final String PATH = "colony.vcm.watch.";

  public WatchSettings {
    SettingRange.check(PATH + "debounce in milliseconds", debounce.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "poll-interval in seconds", pollInterval.toSeconds(), 1, 86_400);
    SettingRange.check(PATH + "most-directories", mostDirectories, 1, 1_000_000);
    SettingRange.check(PATH + "most-changes", mostChanges, 1, 1_000_000);
  }

  public static WatchSettings fromConfig(Config config) {
    return new WatchSettings(
        config.getDuration(PATH + "debounce"),
        config.getDuration(PATH + "poll-interval"),
        config.getInt(PATH + "most-directories"),
        config.getInt(PATH + "most-changes"));
  }
}
