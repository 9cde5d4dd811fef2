package dev.colony.node.retention;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.retention}; reference.conf says what each means.
 *
 * @param runs after the run's end, of its request and its result
 * @param progress after it was made known, of what a run makes known while it goes on
 * @param agents after the agent's end, of all that it leaves
 * @param events of scopes, whatever their number
 * @param sweep between two looks at all that is stored
 * @param batch what is looked at together
 * @param pause between two batches of a look
 */
public record RetentionSettings(
    Duration runs,
    Duration progress,
    Duration agents,
    Duration events,
    Duration sweep,
    int batch,
    Duration pause) {

  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration MOST = Duration.ofDays(36_500);

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static RetentionSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.retention");
    return new RetentionSettings(
        read.duration("runs", LEAST, MOST),
        read.duration("progress", LEAST, MOST),
        read.duration("agents", LEAST, MOST),
        read.duration("events", LEAST, MOST),
        read.duration("sweep", LEAST, Duration.ofDays(1)),
        read.integer("batch", 1, 1_000),
        read.duration("pause", Duration.ofMillis(1), Duration.ofMinutes(1)));
  }
}
