package dev.colony.server.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The fields of an object of a request, read by name; what was not read is left over. A field that
 * is null counts as absent. Each reader refuses a field of the wrong kind, naming its path. Not
 * thread-safe.
 */
final class RequestFields {

  private final ObjectNode object;
  private final String path;
  private final Set<String> taken = new HashSet<>();

  /**
   * @param path of the object in the request; empty for the request itself
   */
  RequestFields(JsonNode object, String path) {
    if (!(object instanceof ObjectNode fields)) {
      throw wrong(path.isEmpty() ? null : path, path, "an object");
    }
    this.object = fields;
    this.path = path;
  }

  /** All of them, read or not. */
  ObjectNode whole() {
    return object;
  }

  String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  Optional<JsonNode> any(String name) {
    taken.add(name);
    JsonNode value = object.path(name);
    return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value);
  }

  Optional<String> text(String name) {
    return any(name)
        .map(value -> {
          if (!value.isTextual()) {
            throw wrong(path(name), path(name), "a string");
          }
          return value.textValue();
        });
  }

  String required(String name) {
    return text(name)
        .orElseThrow(() -> OpenAiError.invalid(path(name), path(name) + " is missing"));
  }

  boolean flag(String name) {
    return any(name)
        .map(value -> {
          if (!value.isBoolean()) {
            throw wrong(path(name), path(name), "true or false");
          }
          return value.booleanValue();
        })
        .orElse(false);
  }

  OptionalLong integer(String name, long least, long most) {
    Optional<JsonNode> given = any(name);
    if (given.isEmpty()) {
      return OptionalLong.empty();
    }
    JsonNode value = given.get();
    if (!value.canConvertToExactIntegral()
        || !value.canConvertToLong()
        || value.longValue() < least
        || value.longValue() > most) {
      throw wrong(path(name), path(name), "an integer of %d to %d".formatted(least, most));
    }
    return OptionalLong.of(value.longValue());
  }

  OptionalDouble number(String name, double least, double most) {
    Optional<JsonNode> given = any(name);
    if (given.isEmpty()) {
      return OptionalDouble.empty();
    }
    JsonNode value = given.get();
    if (!value.isNumber() || value.doubleValue() < least || value.doubleValue() > most) {
      throw wrong(path(name), path(name), "a number of %s to %s".formatted(least, most));
    }
    return OptionalDouble.of(value.doubleValue());
  }

  Optional<RequestFields> object(String name) {
    return any(name).map(value -> new RequestFields(value, path(name)));
  }

  /** Each of a list; none where there is none. */
  List<RequestFields> objects(String name) {
    List<RequestFields> all = new ArrayList<>();
    for (JsonNode one : list(name)) {
      all.add(new RequestFields(one, path(name) + "[" + all.size() + "]"));
    }
    return all;
  }

  List<String> texts(String name) {
    List<String> all = new ArrayList<>();
    for (JsonNode one : list(name)) {
      if (!one.isTextual()) {
        String at = path(name) + "[" + all.size() + "]";
        throw wrong(at, at, "a string");
      }
      all.add(one.textValue());
    }
    return all;
  }

  private Iterable<JsonNode> list(String name) {
    Optional<JsonNode> given = any(name);
    if (given.isEmpty()) {
      return List.of();
    }
    if (!given.get().isArray()) {
      throw wrong(path(name), path(name), "an array");
    }
    return given.get();
  }

  /** Text, or parts of text, which are joined by line breaks as vLLM joins them. */
  String content(String name) {
    Optional<JsonNode> given = any(name);
    if (given.isEmpty()) {
      return "";
    }
    if (given.get().isTextual()) {
      return given.get().textValue();
    }
    List<String> texts = new ArrayList<>();
    for (RequestFields part : objects(name)) {
      String type = part.required("type");
      switch (type) {
        case "text", "input_text", "output_text" -> texts.add(part.required("text"));
        case "refusal" -> texts.add(part.required("refusal"));
        default ->
            throw OpenAiError.unsupported(
                part.path, "%s is of type %s, but only text is served".formatted(part.path, type));
      }
    }
    return String.join("\n", texts);
  }

  /** Refuses a field that asks for something which replies do not have. */
  void refuse(String name, String why) {
    if (any(name).filter(RequestFields::says).isPresent()) {
      throw OpenAiError.unsupported(path(name), path(name) + " is not served: " + why);
    }
  }

  private static boolean says(JsonNode value) {
    boolean empty = value.isContainerNode() && value.isEmpty();
    return !empty && !(value.isBoolean() && !value.booleanValue());
  }

  /** What nothing has read, as it is. */
  Map<String, JsonNode> rest() {
    Map<String, JsonNode> rest = new LinkedHashMap<>();
    object.properties().stream()
        .filter(one -> !taken.contains(one.getKey()))
        .forEach(one -> rest.put(one.getKey(), one.getValue()));
    return rest;
  }

  /** Refuses what nothing has read. */
  void none() {
    rest().keySet().stream()
        .findFirst()
        .ifPresent(name -> {
          throw OpenAiError.unsupported(path(name), "there is no field " + path(name));
        });
  }

  private static OpenAiError wrong(String param, String subject, String what) {
    return OpenAiError.invalid(
        param, (subject.isEmpty() ? "the body" : subject) + " must be " + what);
  }
}
