package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How a page graph learns and forgets; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param halfLife after which half of what was learned is forgotten
 * @param prior answers that the text of the pages counts as
 * @param leastWeight edges below it are pruned
 * @param mostEdges of a page; the lightest are pruned
 */
public record GraphSettings(Duration halfLife, double prior, double leastWeight, int mostEdges) {

  private static final String PATH = "colony.vcm.graph.";

  public GraphSettings {
    SettingRange.check(PATH + "half-life in seconds", halfLife.toSeconds(), 1, 315_360_000);
    SettingRange.check(PATH + "prior", prior, 0.1, 1000);
    SettingRange.check(PATH + "least-weight", leastWeight, 0, 1);
    SettingRange.check(PATH + "most-edges", mostEdges, 1, 10_000);
  }

  public static GraphSettings fromConfig(Config config) {
    return new GraphSettings(
        config.getDuration(PATH + "half-life"),
        config.getDouble(PATH + "prior"),
        config.getDouble(PATH + "least-weight"),
        config.getInt(PATH + "most-edges"));
  }
}
