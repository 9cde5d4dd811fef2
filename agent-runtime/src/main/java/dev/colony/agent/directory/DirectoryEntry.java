package dev.colony.agent.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;

/**
 * An agent as the directory knows it.
 *
 * @param unit the placement unit in which it lives
 */
public record DirectoryEntry(int unit, AgentBlueprint blueprint) {

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("unit", unit);
    json.set("blueprint", blueprint.toJson());
    return json;
  }

  static DirectoryEntry fromJson(JsonNode json) {
    return new DirectoryEntry(
        json.path("unit").asInt(), AgentBlueprint.fromJson(json.path("blueprint")));
  }
}
