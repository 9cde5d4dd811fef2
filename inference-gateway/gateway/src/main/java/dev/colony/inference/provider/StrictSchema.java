package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A JSON schema in the subset that servers take in strict mode (OpenAI, "Structured Outputs"): each
 * node has a type, each property is required, an object has no others. An optional property becomes
 * one that may be null, a value of any type the text of its JSON, an object with any names a list
 * of names and values, and bounds that are not in the subset become a part of the description.
 * {@link #restore} turns a reply back.
 */
final class StrictSchema {

  /** The schema has something that the subset has no form for. */
  static final class Inexpressible extends Exception {
    private static final long serialVersionUID = 1L;

    Inexpressible(String what) {
      super(what, null, false, false);
    }
  }

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** References and choices that lead from a schema to another of the same value, at most. */
  private static final int MOST_STEPS = 16;

  private static final String NAME = "name";
  private static final String VALUE = "value";

  /** Kept as they are. */
  private static final Set<String> KEPT =
      Set.of(
          "type",
          "enum",
          "const",
          "$ref",
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minItems",
          "maxItems",
          "pattern",
          "format");

  /** Said in the description, since they cannot be held to. */
  private static final List<String> BOUNDS =
      List.of("minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties");

  private final JsonNode original;
  private final ObjectNode rewritten;

  private StrictSchema(JsonNode original, ObjectNode rewritten) {
    this.original = original;
    this.rewritten = rewritten;
  }

  /**
   * @param schema of an object
   */
  static StrictSchema of(JsonNode schema) throws Inexpressible {
    ObjectNode rewritten = rewrite(schema);
    for (JsonNode reference : rewritten.findValues("$ref")) {
      // An optional property, or one of any names, stands elsewhere than it did.
      if (reference.isTextual() && target(rewritten, reference.textValue()).isMissingNode()) {
        throw new Inexpressible("$ref " + reference.textValue());
      }
    }
    return new StrictSchema(schema, rewritten);
  }

  JsonNode schema() {
    return rewritten;
  }

  private static ObjectNode rewrite(JsonNode schema) throws Inexpressible {
    for (String beyond :
        List.of("not", "if", "patternProperties", "prefixItems", "dependentSchemas")) {
      if (schema.has(beyond)) {
        throw new Inexpressible(beyond);
      }
    }
    if (schema.path("allOf").size() > 1 || schema.has("allOf") && schema.has("properties")) {
      throw new Inexpressible("allOf");
    }
    if (schema.path("allOf").size() == 1) {
      return rewrite(schema.path("allOf").get(0));
    }
    if (any(schema)) {
      return described(
          JSON.objectNode().put("type", "string"), schema, "any JSON value, as JSON text");
    }
    ObjectNode node = JSON.objectNode();
    for (String kept : KEPT) {
      if (schema.has(kept)) {
        node.set(kept, schema.get(kept));
      }
    }
    typed(node);
    JsonNode choices = choices(schema);
    if (choices.isArray()) {
      ArrayNode anyOf = node.putArray("anyOf");
      for (JsonNode choice : choices) {
        anyOf.add(rewrite(choice));
      }
    }
    if (map(schema)) {
      entries(node, schema);
    } else if (type(schema, "object")) {
      object(node, schema);
    }
    if (type(schema, "array")) {
      node.set("items", rewrite(schema.has("items") ? schema.get("items") : JSON.objectNode()));
    }
    for (String defs : List.of("$defs", "definitions")) {
      if (schema.path(defs).isObject()) {
        ObjectNode all = node.putObject(defs);
        for (Map.Entry<String, JsonNode> one : schema.get(defs).properties()) {
          all.set(one.getKey(), rewrite(one.getValue()));
        }
      }
    }
    return described(node, schema, "");
  }

  /** Gives a node that names its values only the types of these. */
  private static void typed(ObjectNode node) {
    List<JsonNode> values = new ArrayList<>();
    node.path("enum").forEach(values::add);
    if (node.has("const")) {
      values.add(node.get("const"));
    }
    if (node.has("type") || values.isEmpty()) {
      return;
    }
    List<String> types =
        values.stream()
            .map(value -> value.getNodeType().name().toLowerCase(Locale.ROOT))
            .distinct()
            .toList();
    if (types.size() == 1) {
      node.put("type", types.getFirst());
    } else {
      types.forEach(node.putArray("type")::add);
    }
  }

  private static void object(ObjectNode node, JsonNode schema) throws Inexpressible {
    ObjectNode properties = node.putObject("properties");
    ArrayNode required = node.putArray("required");
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      ObjectNode value = rewrite(property.getValue());
      boolean optional = !required(schema, property.getKey());
      properties.set(property.getKey(), optional ? nullable(value) : value);
      required.add(property.getKey());
    }
    node.put("additionalProperties", false);
  }

  private static void entries(ObjectNode node, JsonNode schema) throws Inexpressible {
    JsonNode value = schema.path("additionalProperties");
    node.put("type", "array");
    ObjectNode entry = node.putObject("items").put("type", "object");
    ObjectNode properties = entry.putObject("properties");
    properties.putObject(NAME).put("type", "string");
    properties.set(VALUE, rewrite(value.isObject() ? value : JSON.objectNode()));
    entry.putArray("required").add(NAME).add(VALUE);
    entry.put("additionalProperties", false);
  }

  private static ObjectNode nullable(ObjectNode value) {
    JsonNode type = value.path("type");
    boolean plain = !value.has("enum") && !value.has("const") && !value.has("anyOf");
    if (plain && type.isTextual()) {
      value.putArray("type").add(type.textValue()).add("null");
      return value;
    }
    ObjectNode either = JSON.objectNode();
    either.putArray("anyOf").add(value).addObject().put("type", "null");
    return either;
  }

  private static ObjectNode described(ObjectNode node, JsonNode schema, String what) {
    List<String> words = new ArrayList<>();
    if (schema.path("description").isTextual()) {
      words.add(schema.get("description").textValue());
    }
    if (!what.isEmpty()) {
      words.add(what);
    }
    for (String bound : BOUNDS) {
      if (schema.has(bound)) {
        words.add(bound + ": " + schema.get(bound).asText());
      }
    }
    if (!words.isEmpty() && !node.has("$ref")) {
      node.put("description", String.join("; ", words));
    }
    return node;
  }

  /** The reply as the original schema has it. */
  JsonNode restore(JsonNode reply) {
    return restore(reply, original, MOST_STEPS);
  }

  private JsonNode restore(JsonNode value, JsonNode schema) {
    return restore(value, schema, MOST_STEPS);
  }

  /**
   * @param steps that are left for the same value
   */
  private JsonNode restore(JsonNode value, JsonNode schema, int steps) {
    JsonNode meant = resolved(schema);
    if (steps == 0) {
      return value;
    }
    if (any(meant)) {
      return value.isTextual() ? JsonInText.whole(value.textValue()).orElse(value) : value;
    }
    JsonNode choices = choices(meant);
    if (choices.isArray()) {
      for (JsonNode choice : choices) {
        JsonNode restored = restore(value, choice, steps - 1);
        if (plausible(restored, resolved(choice))) {
          return restored;
        }
      }
      return value;
    }
    if (map(meant) && value.isArray()) {
      ObjectNode object = JSON.objectNode();
      for (JsonNode entry : value) {
        if (!entry.has(VALUE)) {
          continue;
        }
        object.set(
            entry.path(NAME).asText(),
            restore(
                entry.path(VALUE),
                meant.path("additionalProperties").isObject()
                    ? meant.path("additionalProperties")
                    : JSON.objectNode()));
      }
      return object;
    }
    if (value.isObject()) {
      ObjectNode object = JSON.objectNode();
      for (Map.Entry<String, JsonNode> property : value.properties()) {
        JsonNode of = meant.path("properties").path(property.getKey());
        boolean absent =
            property.getValue().isNull()
                && !required(meant, property.getKey())
                && !type(resolved(of), "null");
        if (!absent) {
          object.set(property.getKey(), restore(property.getValue(), of));
        }
      }
      return object;
    }
    if (value.isArray()) {
      ArrayNode array = JSON.arrayNode();
      value.forEach(item -> array.add(restore(item, meant.path("items"))));
      return array;
    }
    return value;
  }

  private static boolean plausible(JsonNode value, JsonNode schema) {
    if (schema.has("const")) {
      return schema.get("const").equals(value);
    }
    if (schema.has("enum")) {
      return contains(schema.get("enum"), value);
    }
    boolean typed =
        switch (value.getNodeType()) {
          case OBJECT -> type(schema, "object");
          case ARRAY -> type(schema, "array");
          case STRING -> type(schema, "string");
          case BOOLEAN -> type(schema, "boolean");
          case NULL -> type(schema, "null");
          case NUMBER ->
              type(schema, "number") || value.isIntegralNumber() && type(schema, "integer");
          default -> false;
        };
    if (!typed && !any(schema) && !choices(schema).isArray()) {
      return false;
    }
    for (JsonNode name : schema.path("required")) {
      if (!value.has(name.asText())) {
        return false;
      }
    }
    for (Map.Entry<String, JsonNode> property : value.properties()) {
      JsonNode of = schema.path("properties").path(property.getKey());
      if (of.isMissingNode() && !map(schema)
          || of.has("const") && !of.get("const").equals(property.getValue())) {
        return false;
      }
    }
    return true;
  }

  private JsonNode resolved(JsonNode schema) {
    JsonNode at = schema;
    for (int i = 0; i < MOST_STEPS; i++) {
      if (at.path("$ref").isTextual()) {
        at = target(original, at.get("$ref").textValue());
      } else if (at.path("allOf").size() == 1) {
        at = at.path("allOf").get(0);
      } else {
        return at;
      }
    }
    return JSON.missingNode();
  }

  private static JsonNode target(JsonNode root, String reference) {
    return reference.equals("#") || reference.startsWith("#/")
        ? root.at(reference.substring(1))
        : JSON.missingNode();
  }

  private static boolean any(JsonNode schema) {
    return !schema.has("type")
        && !schema.has("enum")
        && !schema.has("const")
        && !schema.has("$ref")
        && !schema.has("allOf")
        && !schema.has("properties")
        && !choices(schema).isArray();
  }

  private static JsonNode choices(JsonNode schema) {
    return schema.has("anyOf") ? schema.get("anyOf") : schema.path("oneOf");
  }

  /** An object of which no name is known. */
  private static boolean map(JsonNode schema) {
    return type(schema, "object")
        && schema.path("properties").isEmpty()
        && !(schema.path("additionalProperties").isBoolean()
            && !schema.path("additionalProperties").booleanValue());
  }

  private static boolean type(JsonNode schema, String type) {
    JsonNode said = schema.path("type");
    return said.isTextual() && said.textValue().equals(type)
        || said.isArray() && contains(said, JSON.textNode(type))
        || !schema.has("type") && type.equals("object") && schema.has("properties");
  }

  private static boolean required(JsonNode schema, String property) {
    return contains(schema.path("required"), JSON.textNode(property));
  }

  private static boolean contains(JsonNode array, JsonNode value) {
    for (JsonNode one : array) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }

  /** The schema in the subset; empty where it cannot be brought into it. */
  static Optional<StrictSchema> tried(JsonNode schema) {
    try {
      return Optional.of(of(schema));
    } catch (Inexpressible beyond) {
      return Optional.empty();
    }
  }
}
