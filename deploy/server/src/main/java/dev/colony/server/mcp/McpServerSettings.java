package dev.colony.server.mcp;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;
import java.util.List;

/**
 * The settings under {@code colony.mcp.server}; reference.conf says what each means.
 *
 * @param page tools or resources of one page of a list
 * @param agentTools agents that are offered as tools of their own
 * @param output bytes of what one call or resource gives
 * @param longestWait how long a call waits for its run
 * @param origins of web pages that may call, beside those of this machine
 */
public record McpServerSettings(
    int page, int agentTools, int output, Duration longestWait, List<String> origins) {

  private static final String ROOT = "colony.mcp.server";

  public McpServerSettings {
    origins = List.copyOf(origins);
  }

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static McpServerSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, ROOT);
    return new McpServerSettings(
        read.integer("page", 1, 1_000),
        read.integer("agent-tools", 0, 10_000),
        read.bytes("output", 1_024, 64 * 1024 * 1024),
        read.duration("wait", Duration.ofMillis(100), Duration.ofDays(1)),
        read.config().getStringList("origins"));
  }
}
