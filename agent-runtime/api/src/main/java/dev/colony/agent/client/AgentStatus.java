package dev.colony.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentState;
import dev.colony.blackboard.Entry;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What an agent last made known of its state. Announced after the change is journaled, so it may
 * lag behind the truth by as long as the node needs to write it, or, where the node has died, until
 * the agent is recovered; the beginning and the end of each single run are not announced.
 *
 * @param reason why it is in that state, one line: the error of a failed agent
 * @param since when it was announced, by the blackboard's clock
 */
public record AgentStatus(AgentState state, Optional<String> reason, Instant since) {

  public AgentStatus {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(since, "since");
  }

  public static ObjectNode json(AgentState state, Optional<String> reason) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("state", state.name());
    reason.ifPresent(why -> json.put("reason", why));
    return json;
  }

  public static AgentStatus of(Entry entry) {
    return new AgentStatus(state(entry.value()), reason(entry.value()), entry.updatedAt());
  }

  public static AgentState state(JsonNode json) {
    return AgentState.valueOf(json.path("state").asText());
  }

  public static Optional<String> reason(JsonNode json) {
    return json.hasNonNull("reason") ? Optional.of(json.path("reason").asText()) : Optional.empty();
  }
}
