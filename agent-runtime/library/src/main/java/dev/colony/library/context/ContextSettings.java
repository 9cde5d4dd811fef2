package dev.colony.library.context;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * What is kept of a stage.
 *
 * @param window how many events of each kind
 * @param maxTextChars of one event's text; a longer one is cut
 * @param page how many events are read from the blackboard at once
 */
public record ContextSettings(int window, int maxTextChars, int page) {

  /** The defaults of {@code reference.conf}. */
  public static final ContextSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(ContextSettings.class.getClassLoader()));

  /** Reads {@code colony.agent.context}. */
  public static ContextSettings fromConfig(Config config) {
    SettingsReader reader = SettingsReader.of(config, "colony.agent.context");
    return new ContextSettings(
        reader.integer("window", 1, 10_000),
        reader.integer("max-text", 16, 1_000_000),
        reader.integer("page", 1, 10_000));
  }
}
