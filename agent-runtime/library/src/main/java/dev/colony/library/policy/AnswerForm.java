package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.ActionDescription;
import java.util.List;
import java.util.Set;

/**
 * The JSON schemas that a model's answers must satisfy, made from the actions that it is offered.
 *
 * <p>The choice stands below the root, since servers that decode under a schema want an object
 * there and no alternatives.
 */
final class AnswerForm {

  static final String COMPLETE = "complete";
  static final String IDLE = "idle";
  static final String FAIL = "fail";

  private static final Set<String> OWN = Set.of(COMPLETE, IDLE, FAIL);
  private static final int REASONING_CHARS = 1000;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private AnswerForm() {}

  /** An action with its parameters, or an end. */
  static ObjectNode decision(List<ActionDescription> offered, JsonNode result) {
    ArrayNode alternatives = NODES.arrayNode();
    for (ActionDescription action : offered) {
      String at = "/properties/decision/anyOf/" + alternatives.size() + "/properties/parameters";
      ObjectNode alternative = alternative(NODES.objectNode().put("const", checked(action)));
      property(alternative, "parameters", below(at, parameters(action)));
      alternatives.add(alternative);
    }
    return root(alternatives, result);
  }

  /** An action without its parameters, or an end. */
  static ObjectNode choice(List<ActionDescription> offered, JsonNode result) {
    ArrayNode alternatives = NODES.arrayNode();
    if (!offered.isEmpty()) {
      ObjectNode key = NODES.objectNode();
      offered.forEach(action -> key.withArray("enum").add(checked(action)));
      alternatives.add(alternative(key));
    }
    return root(alternatives, result);
  }

  /**
   * The parameters of an action. One that is not a text may also be given as a {@code Ref}, which
   * is a text until it is resolved.
   */
  static ObjectNode parameters(ActionDescription action) {
    ObjectNode schema =
        action.parameters().isObject()
            ? action.parameters().deepCopy()
            : NODES.objectNode().put("type", "object");
    ObjectNode properties = NODES.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(one -> properties.set(one.getKey(), orRef(one.getValue())));
    if (!properties.isEmpty()) {
      schema.set("properties", properties);
    }
    return schema;
  }

  private static JsonNode orRef(JsonNode schema) {
    if (schema.path("type").asText().equals("string")) {
      return schema;
    }
    ObjectNode either = NODES.objectNode();
    if (schema.has("description")) {
      either.set("description", schema.get("description"));
    }
    ArrayNode alternatives = either.putArray("anyOf").add(schema);
    alternatives.addObject().put("type", "string").put("pattern", "^\\$");
    return either;
  }

  /** A schema that has moved from the root to another place: its pointers move along. */
  private static JsonNode below(String at, JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      object.remove("$schema");
      object
          .properties()
          .forEach(one -> {
            String target = one.getValue().asText("");
            if (one.getKey().equals("$ref") && target.startsWith("#")) {
              one.setValue(NODES.textNode("#" + at + target.substring(1)));
            } else {
              below(at, one.getValue());
            }
          });
    } else {
      schema.forEach(one -> below(at, one));
    }
    return schema;
  }

  private static ObjectNode root(ArrayNode alternatives, JsonNode result) {
    ObjectNode complete = alternative(NODES.objectNode().put("const", COMPLETE));
    String at = "/properties/decision/anyOf/" + alternatives.size() + "/properties/result";
    property(complete, "result", below(at, result.deepCopy()));
    alternatives.add(complete);
    alternatives.add(alternative(NODES.objectNode().put("const", IDLE)));
    ObjectNode fail = alternative(NODES.objectNode().put("const", FAIL));
    property(fail, "reason", NODES.objectNode().put("type", "string"));
    alternatives.add(fail);
    ObjectNode root = object();
    property(
        root,
        "reasoning",
        NODES.objectNode().put("type", "string").put("maxLength", REASONING_CHARS));
    property(root, "decision", NODES.objectNode().set("anyOf", alternatives));
    return root;
  }

  private static ObjectNode alternative(ObjectNode action) {
    ObjectNode alternative = object();
    property(alternative, "action", action);
    return alternative;
  }

  private static ObjectNode object() {
    return NODES.objectNode().put("type", "object").put("additionalProperties", false);
  }

  private static void property(ObjectNode object, String name, JsonNode schema) {
    object.withObject("/properties").set(name, schema);
    object.withArray("/required").add(name);
  }

  private static String checked(ActionDescription action) {
    if (OWN.contains(action.key())) {
      throw AgentException.refused(
          "an action cannot be called " + action.key() + ": planners end a run by that word");
    }
    return action.key();
  }
}
