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
    Duration retryDelay,
    int maxPagesPerReplica,
    int maxEntries,
    int callsInFlight,
    Duration departedAfter) {

  private static final String PATH = "colony.vcm.table.";

  public TableSettings {
    SettingRange.check(PATH + "debounce in milliseconds", debounce.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "retry-delay in milliseconds", retryDelay.toMillis(), 1, 60_000);
    SettingRange.check(PATH + "max-pages-per-replica", maxPagesPerReplica, 1, 1_000_000);
    SettingRange.check(PATH + "max-entries", maxEntries, 1, 10_000_000);
    SettingRange.check(PATH + "calls-in-flight", callsInFlight, 1, 1024);
    SettingRange.check(
        PATH + "departed-after in milliseconds", departedAfter.toMillis(), 2, 86_400_000);
  }

  public static TableSettings fromConfig(Config config) {
    return new TableSettings(
        config.getDuration(PATH + "debounce"),
        config.getDuration(PATH + "retry-delay"),
        config.getInt(PATH + "max-pages-per-replica"),
        config.getInt(PATH + "max-entries"),
        config.getInt(PATH + "calls-in-flight"),
        config.getDuration(PATH + "departed-after"));
  }
}
