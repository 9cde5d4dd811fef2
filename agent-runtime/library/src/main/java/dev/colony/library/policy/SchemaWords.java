package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A JSON schema in few words, for a model to read: {@code stars (integer, 1 to 5, optional, by
 * default 3): how good it is}.
 */
public final class SchemaWords {

  private static final int MOST_CHARS = 2000;
  private static final int DEEPEST = 4;

  private final JsonNode root;

  private SchemaWords(JsonNode root) {
    this.root = root;
  }

  /** The parameters of an action: each with its type, bounds, default and description. */
  public static String parameters(JsonNode schema) {
    List<String> parameters = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : schema.path("properties").properties()) {
      parameters.add(parameter(schema, one.getKey()));
    }
    for (Map.Entry<String, JsonNode> one : schema.path("patternProperties").properties()) {
      parameters.add(
          "any whose name matches %s (%s)"
              .formatted(one.getKey(), new SchemaWords(schema).type(one.getValue(), DEEPEST)));
    }
    return JsonPreview.cut(String.join("; ", parameters), MOST_CHARS);
  }

  /** One of the parameters: {@code text (text): what it says}. */
  public static String parameter(JsonNode schema, String name) {
    JsonNode one = schema.path("properties").path(name);
    String meaning = one.path("description").asText("");
    StringBuilder words = new StringBuilder(name).append(" (").append(type(schema, name));
    if (!required(schema).contains(name)) {
      words.append(", optional");
    }
    if (one.has("default")) {
      words.append(", by default ").append(one.get("default"));
    }
    return words.append(meaning.isEmpty() ? ")" : "): " + meaning).toString();
  }

  /** The type and the bounds of one of the parameters. */
  public static String type(JsonNode schema, String name) {
    return new SchemaWords(schema).type(schema.path("properties").path(name), DEEPEST);
  }

  /** Whether an object has no other properties than those that are named. */
  public static boolean closed(JsonNode schema) {
    return schema.path("additionalProperties").isBoolean()
        && !schema.path("additionalProperties").asBoolean()
        && schema.path("patternProperties").isEmpty();
  }

  /** The parameters that must be there. */
  public static List<String> required(JsonNode schema) {
    return texts(schema.path("required"));
  }

  private String type(JsonNode schema, int levels) {
    if (levels == 0) {
      return "value";
    }
    String pointer = schema.path("$ref").asText("");
    if (pointer.equals("#") || pointer.startsWith("#/")) {
      return type(root.at(pointer.substring(1)), levels - 1);
    }
    if (schema.has("const")) {
      return schema.get("const").toString();
    }
    if (schema.path("enum").isArray()) {
      return "one of "
          + String.join(
              ", ",
              schema.get("enum").valueStream().filter(v -> !v.isNull()).map(this::plain).toList());
    }
    for (String choice : List.of("anyOf", "oneOf")) {
      if (schema.path(choice).isArray()) {
        return String.join(
            " or ",
            schema
                .get(choice)
                .valueStream()
                .filter(one -> !one.path("type").asText().equals("null"))
                .map(one -> type(one, levels - 1))
                .distinct()
                .toList());
      }
    }
    List<String> types = types(schema);
    return types.isEmpty()
        ? schema.has("properties") ? named("object", schema, levels) : "value"
        : String.join(" or ", types.stream().map(one -> named(one, schema, levels)).toList());
  }

  private String named(String type, JsonNode schema, int levels) {
    return switch (type) {
      case "array" ->
          "list of " + type(schema.path("items"), levels - 1) + range(schema, "Items", " elements");
      case "string" -> text(schema);
      case "integer" -> "whole number" + range(schema);
      case "number" -> "number" + range(schema);
      case "boolean" -> "true or false";
      case "object" -> object(schema, levels);
      default -> type;
    };
  }

  private String object(JsonNode schema, int levels) {
    List<String> fields = new ArrayList<>();
    List<String> required = required(schema);
    schema
        .path("properties")
        .properties()
        .forEach(one ->
            fields.add(
                one.getKey()
                    + ": "
                    + type(one.getValue(), levels - 1)
                    + (required.contains(one.getKey()) ? "" : ", optional")));
    return fields.isEmpty() ? "object" : "object {" + String.join("; ", fields) + "}";
  }

  private static String text(JsonNode schema) {
    String format = schema.path("format").asText("");
    String pattern = schema.path("pattern").asText("");
    return "text"
        + (format.isEmpty() ? "" : " in the format " + format)
        + (pattern.isEmpty() ? "" : " that matches " + pattern)
        + range(schema, "Length", " characters");
  }

  private static String range(JsonNode schema) {
    Optional<String> least =
        bound(schema, "minimum", "").or(() -> bound(schema, "exclusiveMinimum", "above "));
    Optional<String> most =
        bound(schema, "maximum", "").or(() -> bound(schema, "exclusiveMaximum", "below "));
    return said(least, most, "");
  }

  private static String range(JsonNode schema, String measure, String unit) {
    return said(bound(schema, "min" + measure, ""), bound(schema, "max" + measure, ""), unit);
  }

  private static String said(Optional<String> least, Optional<String> most, String unit) {
    if (least.isPresent() && most.isPresent()) {
      return ", " + least.get() + " to " + most.get() + unit;
    }
    return least
        .map(bound -> ", " + bound + unit + " or more")
        .or(() -> most.map(bound -> ", at most " + bound + unit))
        .orElse("");
  }

  private static Optional<String> bound(JsonNode schema, String keyword, String how) {
    return schema.path(keyword).isNumber()
        ? Optional.of(how + schema.get(keyword).asText())
        : Optional.empty();
  }

  private String plain(JsonNode value) {
    return value.isTextual() ? value.textValue() : value.toString();
  }

  private static List<String> types(JsonNode schema) {
    JsonNode type = schema.path("type");
    Stream<String> all = type.isTextual() ? Stream.of(type.textValue()) : texts(type).stream();
    return all.filter(one -> !one.equals("null")).toList();
  }

  private static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asText).toList();
  }
}
