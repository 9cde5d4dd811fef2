package dev.colony.blackboard.clock;

import com.typesafe.config.Config;
import java.time.Duration;

/**
 * How the cluster time is kept, and what is said where clocks are wrong.
 *
 * @param syncInterval how often a process agrees with the others on the time, 10 ms to 1 min
 * @param warnSkew how far a node's clock or the store's may be off before the operator is told
 * @param maxSkew how far a node's clock may be off before the node is not ready; more than {@code
 *     warnSkew}
 */
public record ClockSettings(Duration syncInterval, Duration warnSkew, Duration maxSkew) {

  private static final String ROOT = "colony.clock";

  public ClockSettings {
    check(
        syncInterval.toMillis() >= 10 && syncInterval.compareTo(Duration.ofMinutes(1)) <= 0,
        "sync-interval",
        syncInterval,
        "10ms to 1m");
    check(warnSkew.toMillis() >= 1, "warn-skew", warnSkew, "at least 1ms");
    check(
        maxSkew.compareTo(warnSkew) > 0,
        "max-skew",
        maxSkew,
        "more than warn-skew (" + warnSkew + ")");
  }

  /** Reads {@code colony.clock}. */
  public static ClockSettings fromConfig(Config config) {
    Config root = config.getConfig(ROOT);
    return new ClockSettings(
        root.getDuration("sync-interval"),
        root.getDuration("warn-skew"),
        root.getDuration("max-skew"));
  }

  private static void check(boolean holds, String key, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(
          ROOT + "." + key + " is " + value + ", but must be " + allowed);
    }
  }
}
