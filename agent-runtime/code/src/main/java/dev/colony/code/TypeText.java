package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.value.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A JSON schema as a type of TypeScript on one line, with what types do not say as comments. */
final class TypeText {

  private static final int DEEPEST = 4;
  private static final int MOST_CHARS = 1_200;
  private static final int COMMENT_CHARS = 160;

  private final JsonNode root;

  private TypeText(JsonNode root) {
    this.root = root;
  }

  static String of(JsonNode schema) {
    return Text.line(new TypeText(schema).type(schema, 0), MOST_CHARS);
  }

  private String type(JsonNode schema, int depth) {
    String reference = schema.path("$ref").asText("");
    if (reference.equals("#") || reference.startsWith("#/")) {
      return depth > DEEPEST ? "any" : type(root.at(reference.substring(1)), depth + 1);
    }
    if (schema.has("const")) {
      return schema.get("const").toString();
    }
    if (schema.path("enum").isArray()) {
      List<String> values = new ArrayList<>();
      schema.get("enum").forEach(value -> values.add(value.toString()));
      return String.join(" | ", values);
    }
    for (String either : List.of("anyOf", "oneOf")) {
      if (schema.path(either).isArray()) {
        return union(schema.get(either), depth);
      }
    }
    if (schema.path("type").isArray()) {
      List<String> types = new ArrayList<>();
      schema.get("type").forEach(name -> types.add(type(name.asText(), schema, depth)));
      return String.join(" | ", types);
    }
    return type(schema.path("type").asText(""), schema, depth);
  }

  private String union(JsonNode alternatives, int depth) {
    List<String> types = new ArrayList<>();
    for (JsonNode one : alternatives) {
      String type = type(one, depth + 1);
      if (!types.contains(type)) {
        types.add(type);
      }
    }
    return String.join(" | ", types);
  }

  private String type(String name, JsonNode schema, int depth) {
    return switch (name) {
      case "integer", "number" -> "number";
      case "string", "boolean", "null" -> name;
      case "array" -> {
        String element = schema.has("items") ? type(schema.get("items"), depth + 1) : "any";
        yield element.contains(" | ") ? "(" + element + ")[]" : element + "[]";
      }
      case "object" -> object(schema, depth);
      default -> "any";
    };
  }

  private String object(JsonNode schema, int depth) {
    JsonNode properties = schema.path("properties");
    JsonNode patterns = schema.path("patternProperties");
    if (properties.isEmpty() && patterns.isEmpty() || depth > DEEPEST) {
      return schema.path("additionalProperties").isObject() && depth <= DEEPEST
          ? "{[name: string]: " + type(schema.get("additionalProperties"), depth + 1) + "}"
          : "object";
    }
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(one -> required.add(one.asText()));
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : properties.properties()) {
      fields.add(
          (one.getKey().matches("[A-Za-z_][A-Za-z0-9_]*") ? one.getKey() : '"' + one.getKey() + '"')
              + (required.contains(one.getKey()) ? ": " : "?: ")
              + type(one.getValue(), depth + 1)
              + comment(one.getValue()));
    }
    for (Map.Entry<String, JsonNode> one : patterns.properties()) {
      fields.add(
          "[name: string]: %s /* names match %s */"
              .formatted(type(one.getValue(), depth + 1), one.getKey().replace("*/", "* /")));
    }
    return "{" + String.join(", ", fields) + "}";
  }

  private static String comment(JsonNode schema) {
    List<String> notes = new ArrayList<>();
    if (schema.path("type").asText("").equals("integer")) {
      notes.add("integer");
    }
    if (schema.has("minimum") || schema.has("maximum")) {
      notes.add(schema.path("minimum").asText("") + ".." + schema.path("maximum").asText(""));
    }
    for (String name : List.of("format", "pattern", "minLength", "maxLength", "maxItems")) {
      if (schema.has(name)) {
        notes.add(name + " " + schema.get(name).asText());
      }
    }
    if (schema.has("default")) {
      notes.add("default " + schema.get("default"));
    }
    if (schema.has("description")) {
      notes.add(schema.get("description").asText());
    }
    return notes.isEmpty()
        ? ""
        : " /* " + Text.line(String.join("; ", notes).replace("*/", "* /"), COMMENT_CHARS) + " */";
  }
}
