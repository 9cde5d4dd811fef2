package dev.colony.vcm.settings;

import com.typesafe.config.Config;

/**
 * How git repositories are read; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param history how many commits are read, 0 for none
 * @param mostFilesTogether a commit with more files ties none of them
 */
public record GitSettings(int history, int mostFilesTogether) {

  private static final String PATH = "colony.vcm.git.";

  /** The most commits that a source may have read. */
  public static final int MOST_HISTORY = 100_000;

  public GitSettings {
    SettingRange.check(PATH + "history", history, 0, MOST_HISTORY);
    SettingRange.check(PATH + "most-files-together", mostFilesTogether, 2, 10_000);
  }

  public static GitSettings fromConfig(Config config) {
    return new GitSettings(
        config.getInt(PATH + "history"), config.getInt(PATH + "most-files-together"));
  }
}
