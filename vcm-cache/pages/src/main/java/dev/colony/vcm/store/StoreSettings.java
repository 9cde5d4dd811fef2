package dev.colony.vcm.store;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;

/**
 * How the page store works: what of it are keys is described in {@code reference.conf}.
 *
 * @param batchPages pages that are read or looked up in one call, about 10 KiB each
 * @param callsInFlight calls under way at once while a map is saved or pages are read
 * @param mostBranchPages pages that a branch may change, 60 bytes each in its entry
 */
public record StoreSettings(
    long cacheBytes, int batchPages, int callsInFlight, long referenceBytes, int mostBranchPages) {

  private static final int BATCH_PAGES = 32;
  private static final int CALLS_IN_FLIGHT = 8;
  private static final int MOST_BRANCH_PAGES = 1_000;

  @Section("colony.vcm.store")
  private record Keys(
      @Range(min = "0 B", max = "1 TiB") long cacheBytes,
      @Range(min = "1 B", max = "1 TiB") long referenceBytes) {}

  /** With all texts in the store. */
  public StoreSettings(long cacheBytes, int batchPages, int callsInFlight) {
    this(cacheBytes, batchPages, callsInFlight, 1L << 40, MOST_BRANCH_PAGES);
  }

  public static StoreSettings fromConfig(Config config) {
    Keys keys = Settings.read(Keys.class, config);
    return new StoreSettings(
        keys.cacheBytes, BATCH_PAGES, CALLS_IN_FLIGHT, keys.referenceBytes, MOST_BRANCH_PAGES);
  }
}
