package dev.colony.vcm.settings;

import com.typesafe.config.Config;

/**
 * How large pages and groups become; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record GroupingSettings(int pageSizeTokens, int pagesPerGroup, String tokenizer) {

  private static final String PATH = "colony.vcm.grouping.";

  public GroupingSettings {
    SettingRange.check(PATH + "page-size-tokens", pageSizeTokens, 128, 1 << 20);
    SettingRange.check(PATH + "pages-per-group", pagesPerGroup, 1, 1024);
  }

  /** With the tokens of o200k_base. */
  public GroupingSettings(int pageSizeTokens, int pagesPerGroup) {
    this(pageSizeTokens, pagesPerGroup, "o200k_base");
  }

  public static GroupingSettings fromConfig(Config config) {
    return new GroupingSettings(
        config.getInt(PATH + "page-size-tokens"),
        config.getInt(PATH + "pages-per-group"),
        config.getString(PATH + "tokenizer"));
  }
}
