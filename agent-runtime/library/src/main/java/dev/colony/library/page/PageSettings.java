package dev.colony.library.page;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.page}; reference.conf says what each means.
 *
 * @param declared pages that an agent declares at most
 * @param declaringAgents whose declarations are compared
 * @param pins pages that an agent may have pinned at a time
 * @param longestPin how long a pin holds at most
 */
public record PageSettings(int declared, int declaringAgents, int pins, Duration longestPin) {

  /** The defaults of {@code reference.conf}. */
  public static final PageSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(PageSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PageSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.page");
    return new PageSettings(
        read.integer("declared", 1, 100_000),
        read.integer("declaring-agents", 1, 100_000),
        read.integer("pins", 0, 10_000),
        read.duration("longest-pin", Duration.ofSeconds(1), Duration.ofDays(7)));
  }
}
