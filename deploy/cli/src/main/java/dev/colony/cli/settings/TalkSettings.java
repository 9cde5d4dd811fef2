package dev.colony.cli.settings;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * How {@code colony ask} and {@code colony chat} talk with an agent; the keys are described in
 * {@code reference.conf}.
 *
 * @param look how often it is looked whether the run waits for a person
 * @param waitingNotice how long nothing may be heard of a run until a person is told how its agent
 *     stands
 * @param exchanges of a conversation that go with each line
 * @param history lines that are remembered for the next conversation
 */
public record TalkSettings(Duration look, Duration waitingNotice, int exchanges, int history) {

  private static final String PATH = "colony.talk";

  /** Reads them; a value outside its range names its path, itself and the range. */
  public static TalkSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    return new TalkSettings(
        read.duration("look", Duration.ofMillis(10), Duration.ofHours(1)),
        read.duration("waiting-notice", Duration.ofMillis(10), Duration.ofHours(1)),
        read.integer("exchanges", 0, 1_000),
        read.integer("history", 0, 100_000));
  }
}
