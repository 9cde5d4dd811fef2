package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a model may ask to have called.
 *
 * @param name letters, digits, {@code _} and {@code -}, at most 64
 * @param parameters JSON schema of an object
 */
public record Tool(String name, String description, JsonNode parameters) {

  public Tool {
    if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
      throw new IllegalArgumentException(
          "a tool's name has 1 to 64 letters, digits, _ and -, not \"" + name + "\"");
    }
  }
}
