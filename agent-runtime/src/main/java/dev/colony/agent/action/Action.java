package dev.colony.agent.action;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Objects;

/**
 * One action that a policy has chosen.
 *
 * @param actionId names this action within its run; its result is found under it
 * @param key which action of which capability: as an {@link ActionDescription} names it
 * @param params a JSON object of the action's parameters, which may hold {@link Ref}s
 */
public record Action(String actionId, String key, JsonNode params) {

  public Action {
    Objects.requireNonNull(actionId, "actionId");
    Objects.requireNonNull(key, "key");
    params = params == null ? JsonNodeFactory.instance.objectNode() : params;
  }

  public static Action of(String actionId, String key, JsonNode params) {
    return new Action(actionId, key, params);
  }
}
