package dev.colony.library.page;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * The settings under {@code colony.agent.page}; reference.conf says what each means.
 *
 * @param declared pages that an agent declares at most
 * @param declaringAgents whose declarations are compared
 */
public record PageSettings(int declared, int declaringAgents) {

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
        read.integer("declared", 1, 100_000), read.integer("declaring-agents", 1, 100_000));
  }
}
