package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * When a unit follows its pages to another node; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param after how long its pages have to have been elsewhere without a break
 * @param margin how much more of the unit's tokens the other node has to hold, as a share of all of
 *     them: more than 0, at most 1
 * @param moves how many units may follow within an interval; 0 means that none does
 */
public record FollowSettings(Duration after, double margin, int moves, Duration interval) {

  private static final String PATH = "colony.vcm.placement.follow.";

  public FollowSettings {
    SettingRange.check(PATH + "after in milliseconds", after.toMillis(), 1, 86_400_000);
    SettingRange.check(PATH + "margin", margin, 0.01, 1);
    SettingRange.check(PATH + "moves", moves, 0, 1000);
    SettingRange.check(PATH + "interval in milliseconds", interval.toMillis(), 1, 86_400_000);
  }

  static FollowSettings fromConfig(Config config) {
    return new FollowSettings(
        config.getDuration(PATH + "after"),
        config.getDouble(PATH + "margin"),
        config.getInt(PATH + "moves"),
        config.getDuration(PATH + "interval"));
  }
}
