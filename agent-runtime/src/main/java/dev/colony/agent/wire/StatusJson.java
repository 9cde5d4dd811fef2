package dev.colony.agent.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentState;
import dev.colony.agent.directory.AgentStatus;
import java.time.Instant;

/** What an agent last made known of its state. */
public final class StatusJson {

  private StatusJson() {}

  /** As it is sent; {@link #read} reads it back. */
  public static ObjectNode write(AgentStatus status) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("state", status.state().name());
    status.reason().ifPresent(why -> json.put("reason", why));
    return json.put("since", status.since().toString());
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws dev.colony.agent.AgentException if it is no such answer
   */
  public static AgentStatus read(JsonNode answer) {
    return WireJson.answer(
        "status of an agent",
        answer,
        json ->
            new AgentStatus(
                AgentState.valueOf(json.path("state").asText()),
                WireJson.text(json, "reason"),
                Instant.parse(json.path("since").asText())));
  }
}
