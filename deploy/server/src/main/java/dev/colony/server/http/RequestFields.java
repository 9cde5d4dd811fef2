package dev.colony.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.inference.Sampling.ReasoningEffort;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
    return text(name).orElseThrow(() -> missing(name));
  }

  OpenAiError missing(String name) {
    return OpenAiError.invalid(path(name), path(name) + " is missing");
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

  /** The blocks of a list that has to be there; a text alone is one block of it. */
  List<RequestFields> blocks(String name) {
    JsonNode given = any(name).orElseThrow(() -> missing(name));
    return given.isTextual()
        ? List.of(new RequestFields(textBlock(given), path(name)))
        : objects(name);
  }

  private static ObjectNode textBlock(JsonNode text) {
    return JsonNodeFactory.instance.objectNode().put("type", "text").set("text", text);
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

  /** What requests of all protocols say of the reply, read from where each of them says it. */
  static final class ReplyDemands {

    private static final JsonMapper JSON =
        JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private ReplyDemands() {}

    /**
     * @param given bounds in the order in which they count
     */
    static ReplyForm form(
        List<Tool> tools,
        ToolChoice choice,
        Optional<JsonNode> schema,
        int usualTokens,
        OptionalLong given) {
      if (tools.isEmpty() && !(choice instanceof ToolChoice.Auto)) {
        if (choice instanceof ToolChoice.None) {
          return form(tools, ToolChoice.AUTO, schema, usualTokens, given);
        }
        throw OpenAiError.invalid("tool_choice", "tool_choice wants a tool, but tools has none");
      }
      if (choice instanceof ToolChoice.Named named
          && tools.stream().noneMatch(tool -> tool.name().equals(named.tool()))) {
        throw OpenAiError.invalid(
            "tool_choice", "tool_choice names %s, which tools has not".formatted(named.tool()));
      }
      ReplyForm form = ReplyForm.text((int) given.orElse(usualTokens)).tools(tools, choice);
      return form.schema(schema).cutAllowed();
    }

    /**
     * @param at the object with name and description
     * @param schema its field that has the schema of the parameters
     */
    static Tool tool(RequestFields at, String schema) {
      String name = at.required("name");
      JsonNode parameters = at.any(schema).orElseGet(ReplyDemands::anyObject);
      schema(at.path(schema), parameters);
      try {
        return new Tool(name, at.text("description").orElse(""), parameters);
      } catch (IllegalArgumentException wrong) {
        throw OpenAiError.invalid(at.path("name"), wrong.getMessage());
      }
    }

    /** Refuses what no server could hold a reply to: it would be asked in vain. */
    static JsonNode schema(String path, JsonNode schema) {
      try {
        JsonSchemaCheck.of(schema);
        return schema;
      } catch (IllegalArgumentException wrong) {
        throw OpenAiError.invalid(path, path + ": " + wrong.getMessage());
      }
    }

    static ObjectNode anyObject() {
      return JsonNodeFactory.instance.objectNode().put("type", "object");
    }

    /** One of the words, or an object that names a tool. */
    static ToolChoice choice(RequestFields request) {
      Optional<JsonNode> given = request.any("tool_choice");
      if (given.isEmpty()) {
        return ToolChoice.AUTO;
      }
      if (given.get().isTextual()) {
        return switch (given.get().textValue()) {
          case "auto" -> ToolChoice.AUTO;
          case "none" -> ToolChoice.NONE;
          case "required" -> ToolChoice.REQUIRED;
          default ->
              throw OpenAiError.invalid(
                  "tool_choice", "tool_choice must be auto, none, required or name a function");
        };
      }
      RequestFields named = new RequestFields(given.get(), "tool_choice");
      if (!named.required("type").equals("function")) {
        throw OpenAiError.unsupported(
            "tool_choice", "tool_choice must be auto, none, required or name a function");
      }
      return new ToolChoice.Named(
          named
              .object("function")
              .map(one -> one.required("name"))
              .orElseGet(() -> named.required("name")));
    }

    /**
     * @param format the object that has the type
     * @param inner where a schema stands
     */
    static Optional<JsonNode> format(Optional<RequestFields> format, String inner) {
      if (format.isEmpty()) {
        return Optional.empty();
      }
      RequestFields at = format.get();
      String type = at.required("type");
      return switch (type) {
        case "text" -> Optional.empty();
        case "json_object" -> Optional.of(anyObject());
        case "json_schema" -> {
          RequestFields schema = inner.isEmpty() ? at : at.object(inner).orElse(at);
          JsonNode given =
              schema
                  .any("schema")
                  .orElseThrow(() ->
                      OpenAiError.invalid(
                          schema.path("schema"), schema.path("schema") + " is missing"));
          yield Optional.of(schema(schema.path("schema"), given));
        }
        default ->
            throw OpenAiError.unsupported(
                at.path("type"),
                "%s is %s, but text, json_object and json_schema are served"
                    .formatted(at.path("type"), type));
      };
    }

    /**
     * @param stop its field that has the texts which end a reply
     * @param effort as the client gave it; the extra fields carry a value that the port does not
     *     know
     */
    static Sampling sampling(
        RequestFields request, String stop, Optional<String> effort, Map<String, JsonNode> extra) {
      Optional<ReasoningEffort> known =
          effort.flatMap(word ->
              List.of(ReasoningEffort.values()).stream()
                  .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(word))
                  .findFirst());
      if (known.isEmpty()) {
        effort.ifPresent(word -> extra.put("reasoning_effort", TextNode.valueOf(word)));
      }
      return new Sampling(
          request.number("temperature", 0, 2),
          request.number("top_p", 0, 1),
          request.integer("seed", Long.MIN_VALUE, Long.MAX_VALUE),
          stop(request, stop),
          known);
    }

    private static List<String> stop(RequestFields request, String field) {
      Optional<JsonNode> given = request.any(field);
      if (given.isEmpty()) {
        return List.of();
      }
      List<String> stop =
          given.get().isTextual()
              ? List.of(given.get().textValue())
              : new ArrayList<>(request.texts(field));
      if (stop.size() > 4 || stop.stream().anyMatch(String::isEmpty)) {
        throw OpenAiError.invalid(field, field + " must be at most 4 texts, none of them empty");
      }
      return stop;
    }

    static JsonNode arguments(String path, String text) {
      try {
        JsonNode parsed = JSON.readTree(text.isBlank() ? "{}" : text);
        if (parsed != null && parsed.isObject()) {
          return parsed;
        }
      } catch (JsonProcessingException malformed) {
        // Told below, as what is JSON but no object.
      }
      throw OpenAiError.invalid(path, path + " must be the text of a JSON object");
    }
  }
}
