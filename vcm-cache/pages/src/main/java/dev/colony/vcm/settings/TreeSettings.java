package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How directories that were asked about are followed; the keys are described in {@code
 * reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param most how many are followed at once; 0 for none
 * @param quiet how long no further change must have come before one is mapped again
 * @param pause the least time between two mappings of one
 * @param look how often it is looked which are to be followed
 * @param keep how long one is followed after it was asked about
 */
public record TreeSettings(int most, Duration quiet, Duration pause, Duration look, Duration keep) {

  private static final String PATH = "colony.vcm.watch.trees.";

  public TreeSettings {
    SettingRange.check(PATH + "most", most, 0, 1_000);
    SettingRange.check(PATH + "quiet in milliseconds", quiet.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "pause in milliseconds", pause.toMillis(), 1, 86_400_000);
    SettingRange.check(PATH + "look in milliseconds", look.toMillis(), 10, 3_600_000);
    SettingRange.check(PATH + "keep in seconds", keep.toSeconds(), 1, 31_536_000);
  }

  public static TreeSettings fromConfig(Config config) {
    return new TreeSettings(
        config.getInt(PATH + "most"),
        config.getDuration(PATH + "quiet"),
        config.getDuration(PATH + "pause"),
        config.getDuration(PATH + "look"),
        config.getDuration(PATH + "keep"));
  }
}
