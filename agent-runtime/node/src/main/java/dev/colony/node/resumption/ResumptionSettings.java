package dev.colony.node.resumption;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.resumption}; reference.conf says what each means.
 *
 * @param look how often times are looked at without having been told of one
 * @param sweep how often all who wait are looked at
 * @param batch agents that are looked at together
 * @param pause between two batches of a sweep
 * @param atOnce conditions that are evaluated at once
 * @param earlySignals how long before a suspension a signal may come that counts for it
 * @param keepSignals how long a signal is kept for a suspension that is not entered yet
 * @param repeatAfter when an agent that was woken and has not gone on is woken again
 */
public record ResumptionSettings(
    Duration look,
    Duration sweep,
    int batch,
    Duration pause,
    int atOnce,
    Duration earlySignals,
    Duration keepSignals,
    Duration repeatAfter) {

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static ResumptionSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.resumption");
    Duration shortest = Duration.ofMillis(10);
    Duration hour = Duration.ofHours(1);
    return new ResumptionSettings(
        read.duration("look", shortest, hour),
        read.duration("sweep", shortest, Duration.ofDays(1)),
        read.integer("batch", 1, 10_000),
        read.duration("pause", Duration.ofMillis(1), Duration.ofMinutes(1)),
        read.integer("at-once", 1, 10_000),
        read.duration("early-signals", Duration.ZERO, hour),
        read.duration("keep-signals", shortest, Duration.ofDays(1)),
        read.duration("repeat-after", shortest, Duration.ofDays(1)));
  }
}
