package dev.colony.library.source;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * The settings under {@code colony.agent.source}; reference.conf says what each means.
 *
 * @param maps whose texts are kept
 * @param memoryBytes of all texts that are kept
 * @param resultSpans of one result
 * @param resultChars of the text of one result
 * @param lineChars that a line is cut to
 * @param definitionLines of one definition
 * @param commits that are looked at for one question
 * @param repositories whether git repositories are opened that sources of maps name
 */
public record SourceToolSettings(
    int maps,
    int memoryBytes,
    int resultSpans,
    int resultChars,
    int lineChars,
    int definitionLines,
    int commits,
    boolean repositories) {

  /** The defaults of {@code reference.conf}. */
  public static final SourceToolSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(SourceToolSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static SourceToolSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.source");
    return new SourceToolSettings(
        read.integer("maps", 1, 1_000),
        read.bytes("memory", 1 << 20, Integer.MAX_VALUE),
        read.integer("result-spans", 1, 10_000),
        read.integer("result-chars", 100, 10_000_000),
        read.integer("line-chars", 40, 100_000),
        read.integer("definition-lines", 1, 10_000),
        read.integer("commits", 1, 10_000_000),
        read.flag("repositories"));
  }
}
