package dev.colony.agent.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * What a policy's runs are given and give: names and JSON schemas of the input's and of the final
 * result's fields. Fields that are not declared are let through.
 */
public record ActionPolicyIO(Map<String, JsonNode> inputs, Map<String, JsonNode> outputs) {

  /** Whatever comes and whatever results. */
  public static final ActionPolicyIO ANYTHING = new ActionPolicyIO(Map.of(), Map.of());

  public ActionPolicyIO {
    inputs = Map.copyOf(inputs);
    outputs = Map.copyOf(outputs);
  }
}
