package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.value.Text;
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
}
