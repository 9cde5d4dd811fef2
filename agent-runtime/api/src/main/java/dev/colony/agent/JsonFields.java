package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import java.math.BigDecimal;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Reads a JSON object that may come from any caller: each field is of its type, and there are no
 * others. Refusals are {@link IllegalArgumentException}s on one line.
 *
 * @param what names the object in refusals, with its article
 */
record JsonFields(String what, JsonNode json) {

  /** What a refusal shows of a stranger's text, at most. */
  private static final int SHOWN = 80;

  static JsonFields of(String what, JsonNode json, Set<String> known) {
    if (!json.isObject()) {
      throw new IllegalArgumentException(what + " is a JSON object, not: " + shown(json));
    }
    for (var field : json.properties()) {
      if (!known.contains(field.getKey())) {
        throw new IllegalArgumentException(
            what + " has no field " + shown(field.getKey()) + "; it has " + new TreeSet<>(known));
      }
    }
    return new JsonFields(what, json);
  }

  /** What stands there, JSON null included. */
  Optional<JsonNode> value(String name) {
    return Optional.ofNullable(json.get(name));
  }

  Optional<JsonNode> any(String name) {
    return json.hasNonNull(name) ? Optional.of(json.get(name)) : Optional.empty();
  }

  JsonNode required(String name) {
    return any(name)
        .orElseThrow(() -> new IllegalArgumentException(what + " needs the field " + name));
  }

  String text(String name) {
    return text(name, required(name));
  }

  Optional<String> optionalText(String name) {
    return any(name).map(value -> text(name, value));
  }

  Set<String> texts(String name) {
    Set<String> texts = new TreeSet<>();
    list(name, Function.identity()).forEach(one -> texts.add(text(name, one)));
    return texts;
  }

  Optional<Integer> integer(String name) {
    return any(name)
        .map(value -> {
          if (!value.canConvertToExactIntegral() || !value.canConvertToInt()) {
            throw unfit(name, "a whole number", value);
          }
          return value.intValue();
        });
  }

  Optional<Long> longer(String name) {
    return any(name)
        .map(value -> {
          if (!value.canConvertToExactIntegral() || !value.canConvertToLong()) {
            throw unfit(name, "a whole number", value);
          }
          return value.longValue();
        });
  }

  /** A field that stands as text. */
  <T> Optional<T> parsed(String name, String form, Function<String, T> parser) {
    return optionalText(name)
        .map(text -> {
          try {
            return parser.apply(text);
          } catch (RuntimeException unfit) {
            throw unfit(name, form, json.get(name));
          }
        });
  }

  <T> List<T> list(String name, Function<JsonNode, T> element) {
    JsonNode array = json.path(name);
    if (!array.isMissingNode() && !array.isArray()) {
      throw unfit(name, "a list", array);
    }
    return array.valueStream().map(element).toList();
  }

  <T> Map<String, T> map(String name, Function<JsonNode, T> element) {
    JsonNode object = json.path(name);
    if (!object.isMissingNode() && !object.isObject()) {
      throw unfit(name, "an object", object);
    }
    Map<String, T> map = new LinkedHashMap<>();
    object.properties().forEach(one -> map.put(one.getKey(), element.apply(one.getValue())));
    return map;
  }

  private String text(String name, JsonNode value) {
    if (!value.isTextual()) {
      throw unfit(name, "text", value);
    }
    return value.textValue();
  }

  private IllegalArgumentException unfit(String name, String form, JsonNode value) {
    return new IllegalArgumentException(
        "the field " + name + " of " + what + " is " + form + ", not: " + shown(value));
  }

  private static String shown(JsonNode value) {
    return value.isContainerNode()
        ? (value.isArray() ? "a list" : "an object")
        : shown(value.asText());
  }

  /** A stranger's text, fit for one line. */
  static String shown(String text) {
    return Text.line(text, SHOWN);
  }

  /**
   * JSON in the one form in which text, CBOR and Redis all give it back: the smallest integer type,
   * a double for every other number, bytes as base64 text. What has no such form is refused, so
   * that equal blueprints stay equal wherever they have been.
   */
  static final class PlainJson {

    /** Arrays and objects within each other, at most. */
    static final int MAX_DEPTH = 32;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final String what;
    private final CharsetEncoder unicode = StandardCharsets.UTF_8.newEncoder();

    private PlainJson(String what) {
      this.what = what;
    }

    /**
     * A copy in that form.
     *
     * @param what names the value in the refusal
     * @throws IllegalArgumentException if there is none
     */
    static JsonNode of(String what, JsonNode json) {
      return new PlainJson(what).copy(json, MAX_DEPTH);
    }

    private JsonNode copy(JsonNode json, int levels) {
      if (json.isContainerNode() && levels == 0) {
        throw refused("nested deeper than " + MAX_DEPTH + " levels");
      }
      return switch (json.getNodeType()) {
        case OBJECT -> {
          ObjectNode copy = JSON.objectNode();
          json.properties()
              .forEach(field -> copy.set(text(field.getKey()), copy(field.getValue(), levels - 1)));
          yield copy;
        }
        case ARRAY -> {
          ArrayNode copy = JSON.arrayNode(json.size());
          json.forEach(element -> copy.add(copy(element, levels - 1)));
          yield copy;
        }
        case STRING, BINARY -> JSON.textNode(text(json.asText()));
        case NUMBER -> number(json);
        case BOOLEAN, NULL -> json;
        case POJO -> throw refused("a Java object, not JSON");
        case MISSING -> throw refused("missing");
      };
    }

    private JsonNode number(JsonNode json) {
      if (json.isIntegralNumber()) {
        if (json.canConvertToInt()) {
          return JSON.numberNode(json.intValue());
        }
        if (json.canConvertToLong()) {
          return JSON.numberNode(json.longValue());
        }
        throw refused("an integer of more than 64 bits: write it as text");
      }
      double value = json.isFloat() ? Double.parseDouble(json.asText()) : json.doubleValue();
      if (!Double.isFinite(value)) {
        throw refused("a number that JSON does not have: " + json.asText());
      }
      if (json.isBigDecimal() && BigDecimal.valueOf(value).compareTo(json.decimalValue()) != 0) {
        throw refused("a number of more digits than a double holds: write it as text");
      }
      return JSON.numberNode(value);
    }

    private String text(String text) {
      if (!unicode.canEncode(text)) {
        throw refused("text with half a surrogate pair");
      }
      return text;
    }

    private IllegalArgumentException refused(String why) {
      return new IllegalArgumentException(what + " cannot travel: a value in it is " + why);
    }
  }
}
