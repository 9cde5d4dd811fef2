package dev.colony.cli.settings;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * What {@code colony run} makes of its run; the keys are described in {@code reference.conf}.
 *
 * @param waitingNotice how long a model server may be silent until a person is told
 * @param mostUnread which part of the pages may go unread in a run that counts as answered
 * @param keptMappings of how many sources it is kept what was read of them
 * @param earlierQuestions how many questions before a following one it knows
 */
public record RunSettings(
    Duration waitingNotice, double mostUnread, int keptMappings, int earlierQuestions) {

  private static final String PATH = "colony.run";

  /** Reads them; a value outside its range names its path, itself and the range. */
  public static RunSettings fromConfig(Config config) {
    SettingsReader settings = SettingsReader.of(config, PATH);
    return new RunSettings(
        settings.duration("waiting-notice", Duration.ofMillis(100), Duration.ofHours(1)),
        settings.part("most-unread"),
        settings.integer("kept-mappings", 0, 10_000),
        settings.integer("earlier-questions", 1, 100));
  }
}
