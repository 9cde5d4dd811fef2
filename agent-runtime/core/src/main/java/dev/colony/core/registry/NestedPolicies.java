package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.ActionPolicy;
import java.util.ArrayDeque;
import java.util.Deque;

/** Refuses policies that are given another policy. */
final class NestedPolicies {

  private NestedPolicies() {}

  /**
   * Looks through the arguments of a policy's blueprint.
   *
   * @throws IllegalArgumentException if one of them is the blueprint of a policy
   */
  static void refuse(AgentTypes types, Blueprint policy) {
    Deque<JsonNode> open = new ArrayDeque<>();
    open.add(policy.args());
    while (!open.isEmpty()) {
      JsonNode one = open.remove();
      if (namesPolicy(types, one)) {
        throw new IllegalArgumentException(
            "the policy "
                + policy.type()
                + " is given the policy "
                + one.path("type").asText()
                + ": policies do not nest, spawn a child agent with that policy");
      }
      one.properties().stream()
          .filter(field -> !(ofAgent(one) && field.getKey().equals("policy")))
          .forEach(field -> open.add(field.getValue()));
      if (one.isArray()) {
        one.forEach(open::add);
      }
    }
  }

  /** The blueprint of a whole agent has a policy of its own: that is a child, not a nested one. */
  private static boolean ofAgent(JsonNode json) {
    return json.has("policy") && json.has("capabilities");
  }

  private static boolean namesPolicy(AgentTypes types, JsonNode json) {
    if (!json.path("type").isTextual() || !json.has("args")) {
      return false;
    }
    try {
      types.find(ActionPolicy.class, Blueprint.fromJson(json));
      return true;
    } catch (AgentException | IllegalArgumentException none) {
      return false;
    }
  }
}
