package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.core.registry.FileProblems.CloseName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Holds the fields of a reply against the schema that the model was given, and names the right ones
 * where there are others: a model that is not told of a dropped field repeats it. What models write
 * differently and is clear all the same is let through: a text for a list of one, a number or a
 * truth value as text, null for nothing. What must be there the readers say.
 */
public final class ReplyFields {

  private static final int MOST_LINES = 5;
  private static final int MOST_DESCRIBED = 4;
  private static final int MOST_LEVELS = 16;
  private static final int VALUE_CHARS = 80;
  private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

  private final JsonNode root;
  private final List<String> wrong = new ArrayList<>();

  private ReplyFields(JsonNode root) {
    this.root = root;
  }

  /** What is wrong with a reply, for the model. */
  public static final class Misread extends Exception {

    private static final long serialVersionUID = 1L;

    public Misread(String why) {
      super(why, null, false, false);
    }
  }

  /** The fields of an object by their names; none of anything else. */
  public static Map<String, JsonNode> map(JsonNode object) {
    return object.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** What is wrong, on one line with the places; empty if nothing is. */
  public static Optional<String> wrong(JsonNode schema, JsonNode value) {
    ReplyFields fields = new ReplyFields(schema);
    fields.hold(schema, value, "", MOST_LEVELS);
    return fields.wrong.isEmpty()
        ? Optional.empty()
        : Optional.of(
            String.join("; ", fields.wrong.subList(0, Math.min(MOST_LINES, fields.wrong.size()))));
  }

  private void hold(JsonNode schema, JsonNode value, String at, int levels) {
    if (value.isNull() || levels == 0) {
      return;
    }
    switch (schema.path("type").asText("")) {
      case "object" -> {
        if (value.isObject()) {
          fields(schema, value, at, levels);
        } else {
          wrong(at, "an object", value);
        }
      }
      case "array" -> {
        boolean one = value.isTextual() && schema.at("/items/type").asText().equals("string");
        if (value.isArray()) {
          for (int i = 0; i < value.size(); i++) {
            hold(schema.path("items"), value.get(i), at + "[" + i + "]", levels - 1);
          }
        } else if (!one) {
          wrong(at, "a list", value);
        }
      }
      case "string" -> of(value.isTextual(), at, "a text", value);
      case "integer" ->
          of(
              value.canConvertToExactIntegral() || WHOLE.matcher(value.asText()).matches(),
              at,
              "a whole number",
              value);
      case "boolean" ->
          of(
              value.isBoolean() || value.asText().matches("(?i)true|false"),
              at,
              "true or false",
              value);
      default -> {}
    }
  }

  private void of(boolean fits, String at, String type, JsonNode value) {
    if (!fits) {
      wrong(at, type, value);
    }
  }

  private void wrong(String at, String type, JsonNode value) {
    wrong.add(
        "%s is %s, not %s"
            .formatted(
                at.isEmpty() ? "it" : "`" + at + "`",
                type,
                JsonPreview.cut(value.toString(), VALUE_CHARS)));
  }

  private void fields(JsonNode schema, JsonNode value, String at, int levels) {
    JsonNode known = schema.path("properties");
    boolean closed =
        schema.path("additionalProperties").isBoolean()
            && !schema.path("additionalProperties").booleanValue();
    for (Map.Entry<String, JsonNode> one : value.properties()) {
      if (known.has(one.getKey())) {
        hold(known.get(one.getKey()), one.getValue(), at(at, one.getKey()), levels - 1);
      } else if (closed) {
        unknown(schema, one.getKey(), at);
      }
    }
  }

  private void unknown(JsonNode schema, String field, String at) {
    List<String> known =
        schema.path("properties").properties().stream().map(Map.Entry::getKey).toList();
    Optional<String> meant =
        CloseName.among(field, known)
            .map(close -> at(at, close))
            .or(() -> elsewhere(root, field, "", MOST_LEVELS));
    String all =
        known.isEmpty()
            ? "no fields"
            : "the fields "
                + (known.size() <= MOST_DESCRIBED
                    ? SchemaWords.parameters(schema)
                    : String.join(", ", known));
    wrong.add(
        "unknown field `%s`; %s%s"
            .formatted(
                at(at, JsonPreview.cut(field, VALUE_CHARS)),
                meant.map(name -> "did you mean `" + name + "`? It has ").orElse("it has "),
                all));
  }

  /** Where another level has a field of that name. */
  private static Optional<String> elsewhere(JsonNode schema, String field, String at, int levels) {
    if (levels == 0) {
      return Optional.empty();
    }
    for (Map.Entry<String, JsonNode> one : schema.path("properties").properties()) {
      String here = at(at, one.getKey());
      if (one.getKey().equals(field)) {
        return Optional.of(here);
      }
      boolean list = one.getValue().has("items");
      Optional<String> inner =
          list
              ? elsewhere(one.getValue().path("items"), field, here + "[0]", levels - 1)
              : elsewhere(one.getValue(), field, here, levels - 1);
      if (inner.isPresent()) {
        return inner;
      }
    }
    return Optional.empty();
  }

  private static String at(String at, String field) {
    return at.isEmpty() ? field : at + "." + field;
  }
}
