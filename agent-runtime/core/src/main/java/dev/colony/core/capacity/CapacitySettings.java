package dev.colony.core.capacity;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The settings under {@code colony.agent.capacity}; reference.conf says what each means. */
public record CapacitySettings(
    NodeCapacity node,
    Shares shares,
    int strictEvery,
    Preemption preemption,
    int mostYielding,
    Waiting waiting,
    Reports reports) {

  /** Waiting in a node's memory. */
  public record Waiting(int most, Duration longest, int keep, int sentAwayAtOnce) {}

  /** How the cluster hears of nodes' capacity. */
  public record Reports(
      Duration every, Duration whileWaiting, Duration sweep, Duration grace, int batch) {}

  private static final String PATH = "colony.agent.capacity";
  private static final Duration TICK = Duration.ofMillis(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final int MOST_PARTS = 1_000_000;

  /**
   * Reads and checks them.
   *
   * @throws ConfigException naming the path, the value and the range
   */
  public static CapacitySettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    return new CapacitySettings(
        new NodeCapacity(
            read.integer("agents", 1, 1_000_000),
            read.integer("heap-percent", 10, 100),
            tokens(read)),
        shares(read),
        read.integer("strict-every", 1, 10_000),
        new Preemption(
            new Aging(read.integer("aging", 1, Aging.MOST)),
            read.integer("suspend-lower.margin", 1, 10_000),
            read.duration("suspend-lower.after", Duration.ZERO, DAY),
            read.duration("suspend-lower.least-turn", Duration.ZERO, DAY)),
        read.integer("suspend-lower.at-once", 0, 10_000),
        new Waiting(
            read.integer("waiting.most", 0, 1_000_000),
            read.duration("waiting.longest", TICK, DAY),
            read.integer("waiting.keep", 1, 10_000),
            read.integer("waiting.sent-away-at-once", 1, 10_000)),
        new Reports(
            read.duration("report.every", TICK, MINUTE),
            read.duration("report.while-waiting", TICK, MINUTE),
            read.duration("report.sweep", TICK, HOUR),
            read.duration("report.grace", TICK, HOUR),
            read.integer("report.batch", 1, 10_000)));
  }

  private static long tokens(SettingsReader read) {
    return read.config().getString("kv-tokens").equals("unlimited")
        ? Long.MAX_VALUE
        : read.integer("kv-tokens", 1, Integer.MAX_VALUE);
  }

  private static Shares shares(SettingsReader read) {
    Map<String, Integer> parts = new HashMap<>();
    SettingsReader tenants =
        new SettingsReader(read.config().getConfig("shares"), PATH + ".shares");
    for (String tenant : tenants.config().root().keySet()) {
      parts.put(tenant, tenants.integer("\"" + tenant + "\"", 1, MOST_PARTS));
    }
    return new Shares(parts, read.integer("other-shares", 1, MOST_PARTS));
  }
}
