package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How many pages a question is put to; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param recall share of the answers that is to be found
 * @param settled answers that are seen before a question is put to fewer than all pages
 * @param window of the latest answers that count
 * @param exploreEvery one question of so many is put to all pages, to see what the others miss
 * @param exploreRarest of so many at the latest: there are fewer the more there were
 * @param depth edges that the graph is followed
 * @param absent what the weight of a page that no cache holds is multiplied by
 * @param refresh after which a node reads a graph anew
 * @param followed of the pages that a run asks, how many the graph leads to
 */
public record QuerySettings(
    double recall,
    int settled,
    int window,
    int exploreEvery,
    int exploreRarest,
    int depth,
    double absent,
    Duration refresh,
    int followed) {

  private static final String PATH = "colony.vcm.query.";

  public QuerySettings {
    SettingRange.check(PATH + "recall", recall, 0.5, 0.999);
    SettingRange.check(PATH + "settled", settled, 1, 100_000);
    SettingRange.check(PATH + "window", window, settled, 100_000);
    SettingRange.check(PATH + "explore-every", exploreEvery, 1, 100_000);
    SettingRange.check(PATH + "explore-rarest", exploreRarest, exploreEvery, 100_000);
    SettingRange.check(PATH + "depth", depth, 1, 64);
    SettingRange.check(PATH + "absent", absent, 0, 1);
    SettingRange.check(PATH + "refresh in milliseconds", refresh.toMillis(), 1, 86_400_000);
    SettingRange.check(PATH + "followed", followed, 0, 1000);
  }

  public static QuerySettings fromConfig(Config config) {
    return new QuerySettings(
        config.getDouble(PATH + "recall"),
        config.getInt(PATH + "settled"),
        config.getInt(PATH + "window"),
        config.getInt(PATH + "explore-every"),
        config.getInt(PATH + "explore-rarest"),
        config.getInt(PATH + "depth"),
        config.getDouble(PATH + "absent"),
        config.getDuration(PATH + "refresh"),
        config.getInt(PATH + "followed"));
  }
}
