package dev.colony.client.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import java.util.Objects;
import java.util.Optional;

/**
 * Of whose past an agent is a fork.
 *
 * @param sequenceNr of the last event that it has in common with the agent that it was forked from
 */
public record Origin(AgentId agent, long sequenceNr) {

  private static final String NAME = "origin";

  public Origin {
    Objects.requireNonNull(agent, "agent");
    if (sequenceNr < 1) {
      throw new IllegalArgumentException("events are numbered from 1, not: " + sequenceNr);
    }
  }

  void writeTo(ObjectNode json) {
    json.putObject(NAME).put("agent", agent.persistenceId()).put("sequenceNr", sequenceNr);
  }

  static Optional<Origin> of(JsonNode json) {
    JsonNode origin = json.path(NAME);
    return origin.isObject()
        ? Optional.of(
            new Origin(
                AgentId.parse(origin.path("agent").asText()), origin.path("sequenceNr").asLong()))
        : Optional.empty();
  }
}
