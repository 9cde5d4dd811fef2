package dev.colony.node.lease;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.vcm.schedule.lease.LeaseTimes;
import dev.colony.vcm.schedule.workingset.WorkingSetSettings;
import java.time.Duration;

/**
 * The settings under {@code colony.vcm.leases}; reference.conf says what each means. All nodes of a
 * cluster must have the same.
 */
public record LeaseSettings(
    boolean enabled,
    LeaseTimes times,
    WorkingSetSettings workingSets,
    Duration sendInterval,
    Duration patience,
    int batch,
    int batchBlocks,
    int remembered) {

  private static final String PATH = "colony.vcm.leases";
  private static final Duration TICK = Duration.ofMillis(10);
  private static final Duration HOUR = Duration.ofHours(1);

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static LeaseSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    Duration term = read.duration("term", Duration.ofMillis(100), HOUR);
    Duration renew = read.duration("renew", TICK, term.dividedBy(2));
    WorkingSetSettings usual = WorkingSetSettings.DEFAULT;
    Duration bound = read.duration("bound", TICK, Duration.ofDays(1));
    return new LeaseSettings(
        read.config().getBoolean("enabled"),
        new LeaseTimes(
            seconds(term),
            seconds(renew),
            seconds(read.duration("grace", term, HOUR)),
            seconds(read.duration("pickup", term, HOUR)),
            seconds(read.duration("forget", term, Duration.ofDays(365)))),
        usual.withBoundSeconds(seconds(bound)),
        read.duration("send-interval", TICK, renew),
        read.duration("patience", TICK, HOUR),
        read.integer("batch", 1, 10_000),
        read.integer("batch-blocks", 100, 16_384),
        read.integer("remembered", 1, 10_000_000));
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
