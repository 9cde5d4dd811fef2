package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * What the model calls of a run and of all runs that it sets off may take between them. A call that
 * finds it spent fails, as one that finds the tenant's spent; a call that is under way is not cut
 * off, except by the time. An empty bound bounds nothing.
 *
 * @param tokens prompt and completion tokens, cached ones included; more than 0
 * @param cost money in the unit of the node's prices; more than 0
 * @param until when calls are no longer made
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record TraceBudget(
    Optional<Long> tokens, Optional<BigDecimal> cost, Optional<Instant> until) {

  public TraceBudget {
    tokens = tokens == null ? Optional.empty() : tokens;
    cost = cost == null ? Optional.empty() : cost;
    until = until == null ? Optional.empty() : until;
    tokens.filter(value -> value <= 0).ifPresent(value -> refuse("tokens", value));
    cost.filter(value -> value.signum() <= 0 || value.precision() > 40)
        .ifPresent(value -> refuse("cost", value));
  }

  /** As it stands in a request; {@link #fromJson} reads it back. */
  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    tokens.ifPresent(most -> json.put("tokens", most));
    cost.ifPresent(most -> json.put("cost", most));
    until.ifPresent(end -> json.put("until", end.toString()));
    return json;
  }

  static TraceBudget fromJson(JsonNode json) {
    return new TraceBudget(
        Optional.ofNullable(json.get("tokens")).map(JsonNode::asLong),
        Optional.ofNullable(json.get("cost")).map(JsonNode::decimalValue),
        Optional.ofNullable(json.get("until")).map(end -> Instant.parse(end.asText())));
  }

  private static void refuse(String name, Object value) {
    throw new IllegalArgumentException("a budget's %s is %s".formatted(name, value));
  }
}
