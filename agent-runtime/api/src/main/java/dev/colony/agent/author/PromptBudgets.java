package dev.colony.agent.author;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;

/**
 * How many tokens each section of a planning prompt may take, under {@code colony.agent.prompt};
 * reference.conf says what each means.
 *
 * @param stream of each stream
 */
public record PromptBudgets(
    int role,
    int goals,
    int constraints,
    int input,
    int stream,
    int news,
    int background,
    int actions,
    int history,
    int approvals,
    int problem) {

  private static final int LEAST = 32;
  private static final int MOST = 1_000_000;

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PromptBudgets fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.prompt");
    return new PromptBudgets(
        read.integer("role", LEAST, MOST),
        read.integer("goals", LEAST, MOST),
        read.integer("constraints", LEAST, MOST),
        read.integer("input", LEAST, MOST),
        read.integer("stream", LEAST, MOST),
        read.integer("news", LEAST, MOST),
        read.integer("background", LEAST, MOST),
        read.integer("actions", LEAST, MOST),
        read.integer("history", LEAST, MOST),
        read.integer("approvals", LEAST, MOST),
        read.integer("problem", LEAST, MOST));
  }
}
