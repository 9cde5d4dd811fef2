package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How the page table is published; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 */
public record TableSettings(
    Duration debounce,
    Duration usesDebounce,
    Duration retryDelay,
    Duration refresh,
    int maxPagesPerReplica,
    int maxUses,
    int maxEntries,
    int callsInFlight,
    Duration departedAfter,
    LeaseSettings leases) {

  private static final String PATH = "colony.vcm.table.";

  public TableSettings {
    SettingRange.check(PATH + "debounce in milliseconds", debounce.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "uses-debounce in milliseconds", usesDebounce.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "retry-delay in milliseconds", retryDelay.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "refresh in milliseconds", refresh.toMillis(), 1, 86_400_000);
    SettingRange.check(PATH + "max-pages-per-replica", maxPagesPerReplica, 1, 1_000_000);
    SettingRange.check(PATH + "max-uses", maxUses, 1, 100_000);
    SettingRange.check(PATH + "max-entries", maxEntries, 1, 10_000_000);
    SettingRange.check(PATH + "calls-in-flight", callsInFlight, 1, 1024);
    SettingRange.check(
        PATH + "departed-after in milliseconds", departedAfter.toMillis(), 2, 86_400_000);
  }

  public static TableSettings fromConfig(Config config) {
    return new TableSettings(
        config.getDuration(PATH + "debounce"),
        config.getDuration(PATH + "uses-debounce"),
        config.getDuration(PATH + "retry-delay"),
        config.getDuration(PATH + "refresh"),
        config.getInt(PATH + "max-pages-per-replica"),
        config.getInt(PATH + "max-uses"),
        config.getInt(PATH + "max-entries"),
        config.getInt(PATH + "calls-in-flight"),
        config.getDuration(PATH + "departed-after"),
        LeaseSettings.fromConfig(config));
  }
}
