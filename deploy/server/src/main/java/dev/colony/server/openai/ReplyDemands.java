package dev.colony.server.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.inference.Sampling.ReasoningEffort;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import dev.colony.schema.JsonSchemaCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What requests of both protocols say of the reply, read from where each of them says it. */
final class ReplyDemands {

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
   * @param at the object with name, description and parameters
   */
  static Tool tool(RequestFields at) {
    String name = at.required("name");
    JsonNode parameters = at.any("parameters").orElseGet(ReplyDemands::anyObject);
    schema(at.path("parameters"), parameters);
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
   * @param effort as it was given; a word that the port does not know goes among the extra fields
   */
  static Sampling sampling(
      RequestFields request, Optional<String> effort, Map<String, JsonNode> extra) {
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
        stop(request),
        known);
  }

  private static List<String> stop(RequestFields request) {
    Optional<JsonNode> given = request.any("stop");
    if (given.isEmpty()) {
      return List.of();
    }
    List<String> stop =
        given.get().isTextual()
            ? List.of(given.get().textValue())
            : new ArrayList<>(request.texts("stop"));
    if (stop.size() > 4 || stop.stream().anyMatch(String::isEmpty)) {
      throw OpenAiError.invalid("stop", "stop must be at most 4 texts, none of them empty");
    }
    return stop;
  }

  /** The JSON that a text is. */
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
