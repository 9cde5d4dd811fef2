package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import dev.colony.vcm.PageGroup;
import java.util.Arrays;
import java.util.Locale;

/**
 * How large pages and groups become; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record GroupingSettings(
    int pageSizeTokens,
    int pagesPerGroup,
    String tokenizer,
    PageGroup.Kind kind,
    long cacheTokens) {

  private static final String PATH = "colony.vcm.grouping.";

  public GroupingSettings {
    SettingRange.check(PATH + "page-size-tokens", pageSizeTokens, 128, 1 << 20);
    SettingRange.check(PATH + "pages-per-group", pagesPerGroup, 1, 1024);
    SettingRange.check(PATH + "cache-tokens", cacheTokens, 0, 1L << 40);
  }

  private static PageGroup.Kind kind(String word) {
    return Arrays.stream(PageGroup.Kind.values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(word))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                PATH + "kind is " + word + ", must be advisory or mandatory"));
  }

  /** Advisory groups, with the tokens of o200k_base. */
  public GroupingSettings(int pageSizeTokens, int pagesPerGroup) {
    this(pageSizeTokens, pagesPerGroup, "o200k_base", PageGroup.Kind.ADVISORY, 0);
  }

  public static GroupingSettings fromConfig(Config config) {
    return new GroupingSettings(
        config.getInt(PATH + "page-size-tokens"),
        config.getInt(PATH + "pages-per-group"),
        config.getString(PATH + "tokenizer"),
        kind(config.getString(PATH + "kind")),
        config.getLong(PATH + "cache-tokens"));
  }
}
