package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * What a holder may lock and ask for; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param locks pages that one holder may have locked
 * @param requests pages that one holder may ask for
 * @param longest that a lock or a request holds without being extended
 */
public record LeaseSettings(int locks, int requests, Duration longest) {

  private static final String PATH = "colony.vcm.lease.";

  public LeaseSettings {
    SettingRange.check(PATH + "locks", locks, 0, 10_000);
    SettingRange.check(PATH + "requests", requests, 0, 10_000);
    SettingRange.check(PATH + "longest in milliseconds", longest.toMillis(), 1, 604_800_000);
  }

  public static LeaseSettings fromConfig(Config config) {
    return new LeaseSettings(
        config.getInt(PATH + "locks"),
        config.getInt(PATH + "requests"),
        config.getDuration(PATH + "longest"));
  }
}
