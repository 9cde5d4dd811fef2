package dev.colony.cli.agents;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;

/**
 * What became of something that an agent was told.
 *
 * @param taken whether it is known to have taken it; what was given and is not taken yet will be
 * @param line for people
 */
public record Told(AgentId agent, boolean taken, String line) {

  /** For programs. */
  public ObjectNode toJson() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", agent.persistenceId())
        .put("taken", taken)
        .put("says", line);
  }
}
