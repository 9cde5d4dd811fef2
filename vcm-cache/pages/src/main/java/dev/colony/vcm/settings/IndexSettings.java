package dev.colony.vcm.settings;

import com.typesafe.config.Config;

/**
 * How pages are indexed; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record IndexSettings(int passageLines) {

  private static final String PATH = "colony.vcm.index.";

  public IndexSettings {
    SettingRange.check(PATH + "passage-lines", passageLines, 1, 1_000_000);
  }

  public static IndexSettings fromConfig(Config config) {
    return new IndexSettings(config.getInt(PATH + "passage-lines"));
  }
}
