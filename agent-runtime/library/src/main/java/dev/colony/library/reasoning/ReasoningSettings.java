package dev.colony.library.reasoning;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * The settings under {@code colony.agent.reasoning}; reference.conf says what each means.
 *
 * @param inputChars of all inputs of one call together; what is longer is cut, each input alike
 * @param replyTokens bound on a reply
 */
public record ReasoningSettings(int inputChars, int replyTokens) {

  /** The defaults of {@code reference.conf}. */
  public static final ReasoningSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(ReasoningSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static ReasoningSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.reasoning");
    return new ReasoningSettings(
        read.integer("input-chars", 256, 10_000_000), read.integer("reply-tokens", 64, 1_000_000));
  }
}
