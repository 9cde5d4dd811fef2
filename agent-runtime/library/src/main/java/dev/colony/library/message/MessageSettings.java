package dev.colony.library.message;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.message}; reference.conf says what each means.
 *
 * @param mailbox unread messages that an agent has at most
 * @param maxChars of a message's body, as JSON text
 * @param keep how long a message is kept after it was read
 * @param rounds proposals that a negotiation has at most
 */
public record MessageSettings(int mailbox, int maxChars, Duration keep, int rounds) {

  /** The defaults of {@code reference.conf}. */
  public static final MessageSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(MessageSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static MessageSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.message");
    return new MessageSettings(
        read.integer("mailbox", 1, 100_000),
        read.integer("max-chars", 16, 1_000_000),
        read.duration("keep", Duration.ofMinutes(1), Duration.ofDays(365)),
        read.integer("rounds", 1, 1_000));
  }
}
