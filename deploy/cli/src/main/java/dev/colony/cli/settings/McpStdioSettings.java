package dev.colony.cli.settings;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * How {@code colony mcp} carries messages; the keys are described in {@code reference.conf}.
 *
 * @param calls requests under way at once
 * @param attempts to send one, at most
 * @param pause between two of them
 * @param drain how long answers are waited for after the end of standard input
 */
public record McpStdioSettings(int calls, int attempts, Duration pause, Duration drain) {

  private static final String PATH = "colony.mcp.stdio";

  /** Reads them; a value outside its range names its path, itself and the range. */
  public static McpStdioSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    return new McpStdioSettings(
        read.integer("calls", 1, 1_000),
        read.integer("attempts", 1, 1_000),
        read.duration("pause", Duration.ofMillis(1), Duration.ofMinutes(1)),
        read.duration("drain", Duration.ZERO, Duration.ofHours(1)));
  }
}
