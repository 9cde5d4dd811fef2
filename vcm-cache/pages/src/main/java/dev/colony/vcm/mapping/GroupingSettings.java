package dev.colony.vcm.mapping;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.vcm.PageGroup;

/**
 * How files are cut into pages and pages gathered into groups; the keys are described in {@code
 * reference.conf}.
 *
 * @param cacheTokens what the largest cache of a replica holds; 0 where it is not known
 */
@Section("colony.vcm.grouping")
public record GroupingSettings(
    @Range(min = "128", max = "1048576") int pageSizeTokens,
    @Range(min = "1", max = "1024") int pagesPerGroup,
    String tokenizer,
    PageGroup.Kind kind,
    @Range(min = "0", max = "1099511627776") long cacheTokens) {

  /** Advisory groups, with the tokens of o200k_base. */
  public GroupingSettings(int pageSizeTokens, int pagesPerGroup) {
    this(pageSizeTokens, pagesPerGroup, "o200k_base", PageGroup.Kind.ADVISORY, 0);
  }

  public static GroupingSettings fromConfig(Config config) {
    return Settings.read(GroupingSettings.class, config);
  }
}
