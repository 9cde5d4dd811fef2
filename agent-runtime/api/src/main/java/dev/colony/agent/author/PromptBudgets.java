package dev.colony.agent.author;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many tokens each section of a planning prompt may take, under {@code colony.agent.prompt};
 * reference.conf says what each means.
 *
 * @param layers by the names of the layers; {@code stream} is that of each stream
 * @param actions of all that may be chosen
 * @param layer of a layer that has no budget of its own
 */
public record PromptBudgets(Map<String, Integer> layers, int actions, int layer) {

  /** The least that a section may be given. */
  public static final int LEAST = 32;

  /** The most. */
  public static final int MOST = 1_000_000;

  private static final List<String> NAMES =
      List.of(
          "role",
          "goals",
          "constraints",
          "input",
          "serving",
          "history",
          "stream",
          "pages",
          "memory",
          "variables",
          "background",
          "approvals",
          "news",
          "plan",
          "functions",
          "cells",
          "left",
          "problem");

  public PromptBudgets {
    layers = Map.copyOf(layers);
  }

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static PromptBudgets fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.prompt");
    Map<String, Integer> layers = new TreeMap<>();
    NAMES.forEach(name -> layers.put(name, read.integer(name, LEAST, MOST)));
    return new PromptBudgets(
        layers, read.integer("actions", LEAST, MOST), read.integer("layer", LEAST, MOST));
  }

  /** The budget of a layer. */
  public int of(String name) {
    return layers.getOrDefault(name, layer);
  }
}
