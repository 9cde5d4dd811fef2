package dev.colony.vcm.settings;

import com.typesafe.config.Config;

/**
 * How the page store works; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record StoreSettings(
    long cacheBytes, int batchPages, int callsInFlight, long referenceBytes, int mostBranchPages) {

  private static final String PATH = "colony.vcm.store.";

  public StoreSettings {
    SettingRange.check(PATH + "cache-bytes", cacheBytes, 0, 1L << 40);
    SettingRange.check(PATH + "batch-pages", batchPages, 1, 10_000);
    SettingRange.check(PATH + "calls-in-flight", callsInFlight, 1, 1024);
    SettingRange.check(PATH + "reference-bytes", referenceBytes, 1, 1L << 40);
    SettingRange.check(PATH + "most-branch-pages", mostBranchPages, 1, 1_000_000);
  }

  /** With all texts in the store. */
  public StoreSettings(long cacheBytes, int batchPages, int callsInFlight) {
    this(cacheBytes, batchPages, callsInFlight, 1L << 40, 1_000);
  }

  public static StoreSettings fromConfig(Config config) {
    return new StoreSettings(
        config.getBytes(PATH + "cache-bytes"),
        config.getInt(PATH + "batch-pages"),
        config.getInt(PATH + "calls-in-flight"),
        config.getBytes(PATH + "reference-bytes"),
        config.getInt(PATH + "most-branch-pages"));
  }
}
