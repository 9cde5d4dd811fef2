package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * Which pages are loaded before they are asked about; the keys are described in {@code
 * reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param pages that are loaded after one question; 0 loads none
 * @param tokens of these pages together
 * @param likelihood from which a page is loaded
 * @param depth edges that the graph is followed
 * @param fill share of a cache up to which it is filled
 * @param atOnce questions of a node whose pages are being loaded at the same time
 * @param backlog of prompts before a replica, from which on it is busy and nothing is loaded
 */
public record PrefetchSettings(
    int pages,
    int tokens,
    double likelihood,
    int depth,
    double fill,
    int atOnce,
    Duration backlog) {

  private static final String PATH = "colony.vcm.prefetch.";

  public PrefetchSettings {
    SettingRange.check(PATH + "pages", pages, 0, 1000);
    SettingRange.check(PATH + "tokens", tokens, 1, Integer.MAX_VALUE);
    SettingRange.check(PATH + "likelihood", likelihood, 0, 1);
    SettingRange.check(PATH + "depth", depth, 1, 64);
    SettingRange.check(PATH + "fill", fill, 0, 1);
    SettingRange.check(PATH + "at-once", atOnce, 1, 1000);
    SettingRange.check(PATH + "backlog in milliseconds", backlog.toMillis(), 0, 3_600_000);
  }

  public static PrefetchSettings fromConfig(Config config) {
    return new PrefetchSettings(
        config.getInt(PATH + "pages"),
        config.getInt(PATH + "tokens"),
        config.getDouble(PATH + "likelihood"),
        config.getInt(PATH + "depth"),
        config.getDouble(PATH + "fill"),
        config.getInt(PATH + "at-once"),
        config.getDuration(PATH + "backlog"));
  }
}
