package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.QueryTerms.Extract;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills any JSON schema from an extract: strings are the best sentences in turn, an enumeration is
 * its member that matches the question best, numbers are the first that the best sentences hold.
 * Bounds ({@code minimum}, {@code maxLength}, {@code minItems} and their like), {@code const},
 * {@code anyOf}, {@code oneOf} and local {@code $ref} are kept; {@code pattern} is not. Where a
 * schema comes back to itself, as that of a tree does, it gets as little as it takes.
 */
final class SchemaFiller {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])-?\\d{1,9}(?:\\.\\d{1,6})?");
  private static final int DEFAULT_ITEMS = 3;
  private static final int MOST_ITEMS = 100;
  private static final int DEEPEST = 32;

  /** Values in all, at most. */
  private static final int MOST_VALUES = 5_000;

  private final JsonNode root;
  private final Extract extract;
  private final Set<JsonNode> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private int sentence;
  private int values;

  /**
   * @param root the schema that references are resolved in
   */
  SchemaFiller(JsonNode root, Extract extract) {
    this.root = root;
    this.extract = extract;
  }

  static JsonNode fill(JsonNode schema, Extract extract) {
    return new SchemaFiller(schema, extract).value("", schema);
  }

  /** A value for a part of the schema; each text goes on where the last one ended. */
  JsonNode value(String name, JsonNode schema) {
    return value(name, schema, 0);
  }

  private JsonNode value(String name, JsonNode schema, int depth) {
    if (depth > DEEPEST || ++values > MOST_VALUES) {
      return NODES.nullNode();
    }
    if (schema.has("const")) {
      return schema.get("const");
    }
    if (schema.path("enum").isArray() && !schema.path("enum").isEmpty()) {
      return member(schema.get("enum"));
    }
    String reference = schema.path("$ref").asText("");
    if (reference.equals("#") || reference.startsWith("#/")) {
      return value(name, root.at(reference.substring(1)), depth + 1);
    }
    for (String choice : new String[] {"anyOf", "oneOf", "allOf"}) {
      if (schema.path(choice).isArray() && !schema.path(choice).isEmpty()) {
        return value(name, schema.get(choice).get(0), depth + 1);
      }
    }
    return switch (type(schema)) {
      case "object" -> object(schema, depth);
      case "array" -> array(name, schema, depth);
      case "boolean" -> NODES.booleanNode(extract.match(name) > 0);
      case "integer" -> NODES.numberNode(Math.round(number(schema, 1)));
      case "number" -> NODES.numberNode(number(schema, 0));
      case "null" -> NODES.nullNode();
      default -> NODES.textNode(string(schema));
    };
  }

  private static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    if (type.isArray() && !type.isEmpty()) {
      return type.get(0).asText();
    }
    if (type.isTextual()) {
      return type.asText();
    }
    return schema.has("properties") ? "object" : schema.has("items") ? "array" : "string";
  }

  private ObjectNode object(JsonNode schema, int depth) {
    ObjectNode object = NODES.objectNode();
    boolean again = !open.add(schema);
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(one -> required.add(one.asText()));
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      if (!again || required.contains(property.getKey())) {
        object.set(property.getKey(), value(property.getKey(), property.getValue(), depth + 1));
      }
    }
    if (!again) {
      open.remove(schema);
    }
    return object;
  }

  private ArrayNode array(String name, JsonNode schema, int depth) {
    int least = schema.path("minItems").asInt(0);
    int most = Math.min(schema.path("maxItems").asInt(DEFAULT_ITEMS), MOST_ITEMS);
    JsonNode members = schema.path("items").path("enum");
    ArrayNode array = NODES.arrayNode();
    if (members.isArray()) {
      for (JsonNode member : members) {
        if (array.size() < most && extract.match(member.asText()) > 0) {
          array.add(member);
        }
      }
    }
    boolean again = !open.add(schema);
    int wanted =
        members.isArray() || again ? least : Math.max(least, Math.min(most, DEFAULT_ITEMS));
    int available = Math.max(least, Math.min(wanted, extract.sentences().size()));
    for (int i = 0; array.size() < available; i++) {
      array.add(
          members.isArray() && i < members.size()
              ? members.get(i)
              : value(name, schema.path("items"), depth + 1));
    }
    if (!again) {
      open.remove(schema);
    }
    return array;
  }

  private JsonNode member(JsonNode members) {
    JsonNode best = members.get(0);
    double bestMatch = 0;
    for (JsonNode member : members) {
      double match = extract.match(member.asText());
      if (match > bestMatch) {
        best = member;
        bestMatch = match;
      }
    }
    return best;
  }

  private String string(JsonNode schema) {
    String text =
        extract.sentences().isEmpty()
            ? ""
            : extract.sentences().get(sentence++ % extract.sentences().size());
    int most = schema.path("maxLength").asInt(Integer.MAX_VALUE);
    int least = schema.path("minLength").asInt(0);
    // JSON schema counts code points, not chars.
    int size = text.codePointCount(0, text.length());
    String cut = size > most ? WellFormed.head(text, text.offsetByCodePoints(0, most)) : text;
    int left = cut.codePointCount(0, cut.length());
    return left < least ? cut + "-".repeat(least - left) : cut;
  }

  /** The first number of the best sentences that lies within the bounds, or the nearest bound. */
  private double number(JsonNode schema, int step) {
    double least =
        schema.path("exclusiveMinimum").isNumber()
            ? schema.path("exclusiveMinimum").asDouble() + Math.max(step, 1e-6)
            : schema.path("minimum").asDouble(Double.NEGATIVE_INFINITY);
    double most =
        schema.path("exclusiveMaximum").isNumber()
            ? schema.path("exclusiveMaximum").asDouble() - Math.max(step, 1e-6)
            : schema.path("maximum").asDouble(Double.POSITIVE_INFINITY);
    for (String text : extract.sentences()) {
      Matcher matcher = NUMBER.matcher(text);
      while (matcher.find()) {
        double number = Double.parseDouble(matcher.group());
        if (number >= least && number <= most && (step == 0 || number == Math.rint(number))) {
          return number;
        }
      }
    }
    return Math.max(least, Math.min(most, 0));
  }
}
