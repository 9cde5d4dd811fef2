package dev.colony.agent.stream;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * How large streams may be.
 *
 * @param maxEntryBytes the content of one entry as JSON; a larger one is cut
 * @param maxSectionChars what a stream may put into a prompt; a longer section is cut
 */
public record StreamSettings(int maxEntryBytes, int maxSectionChars) {

  /** The defaults of {@code reference.conf}. */
  public static final StreamSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(StreamSettings.class.getClassLoader()));

  /** Reads {@code colony.agent.stream}. */
  public static StreamSettings fromConfig(Config config) {
    SettingsReader reader = SettingsReader.of(config, "colony.agent.stream");
    return new StreamSettings(
        reader.bytes("max-entry", 64, 1024 * 1024), reader.integer("max-section", 100, 10_000_000));
  }
}
