package dev.colony.replica;

import static dev.colony.replica.Exchange.JSON;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.ChatTemplate.Message;
import dev.colony.replica.ChatTemplate.Message.MadeCall;
import dev.colony.replica.lexical.LexicalModel.Tools.Call;
import dev.colony.replica.lexical.LexicalModel.Tools.Choice;
import dev.colony.replica.lexical.LexicalModel.Tools.Tool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A chat-completions request, checked. {@code seed}, {@code temperature} and {@code top_p} are
 * checked and change nothing: the same prompt always gets the same reply. Unknown fields are
 * ignored, as vLLM ignores them.
 *
 * @param tools as they came, for the chat template
 * @param schema the JSON schema that the reply must satisfy; an empty object where any JSON object
 *     will do
 * @param choices the texts one of which the reply must be
 * @param stop texts before which the reply ends
 * @param cacheSalt keeps the prompt's blocks apart from those of other salts; empty for none
 */
record ChatRequest(
    String model,
    List<Message> messages,
    List<ObjectNode> tools,
    Choice toolChoice,
    Optional<JsonNode> schema,
    List<String> choices,
    OptionalInt maxTokens,
    List<String> stop,
    String cacheSalt,
    boolean stream,
    boolean streamUsage) {

  private static final List<String> ROLES =
      List.of("system", "developer", "user", "assistant", "tool");

  static ChatRequest parse(byte[] body) throws ApiError {
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw ApiError.invalid(null, "the body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw ApiError.invalid(null, "the body is not JSON: " + e.getMessage());
    }
    if (root == null || !root.isObject()) {
      throw ApiError.invalid(null, "the body is not a JSON object");
    }
    if (!root.path("model").isTextual() || root.path("model").textValue().isBlank()) {
      throw ApiError.invalid("model", "model must be a string");
    }
    if (root.path("n").asInt(1) != 1) {
      throw ApiError.invalid("n", "only n = 1 is served");
    }
    number(root, "temperature", 0, Double.MAX_VALUE);
    number(root, "top_p", Double.MIN_VALUE, 1);
    whole(root, "seed");
    List<ObjectNode> tools = tools(root.path("tools"));
    boolean stream = flag(root.path("stream"), "stream");
    if (!stream && given(root.path("stream_options"))) {
      throw ApiError.invalid(
          "stream_options", "Stream options can only be defined when `stream=True`.");
    }
    return new ChatRequest(
        root.path("model").textValue(),
        messages(root.path("messages")),
        tools,
        toolChoice(root.path("tool_choice"), tools),
        schema(root),
        choices(root.path("structured_outputs").path("choice")),
        maxTokens(root),
        stop(root.path("stop")),
        cacheSalt(root.path("cache_salt")),
        stream,
        flag(root.path("stream_options").path("include_usage"), "stream_options.include_usage"));
  }

  /** The tools as the model takes them. */
  List<Tool> offered() {
    return tools.stream()
        .map(tool -> tool.path("function"))
        .map(function ->
            new Tool(
                function.path("name").asText(),
                function.path("description").asText(""),
                function.path("parameters")))
        .toList();
  }

  private static List<Message> messages(JsonNode array) throws ApiError {
    if (!array.isArray() || array.isEmpty()) {
      throw ApiError.invalid("messages", "messages must be an array with at least one message");
    }
    List<Message> messages = new ArrayList<>(array.size());
    for (JsonNode message : array) {
      String at = "messages[" + messages.size() + "]";
      String role = message.path("role").asText("");
      if (!ROLES.contains(role)) {
        throw ApiError.invalid(at + ".role", at + ".role must be one of " + ROLES);
      }
      List<MadeCall> calls =
          role.equals("assistant") ? calls(message.path("tool_calls"), at) : List.of();
      JsonNode content = message.path("content");
      boolean silent = !calls.isEmpty() && !given(content);
      messages.add(
          new Message(
              role,
              silent ? "" : content(content, at + ".content"),
              calls,
              role.equals("tool") ? message.path("tool_call_id").asText("") : ""));
    }
    return List.copyOf(messages);
  }

  private static List<MadeCall> calls(JsonNode array, String at) throws ApiError {
    List<MadeCall> calls = new ArrayList<>();
    for (JsonNode call : array) {
      String where = at + ".tool_calls[" + calls.size() + "]";
      JsonNode function = call.path("function");
      if (!function.path("name").isTextual()) {
        throw ApiError.invalid(where, where + ".function.name must be a string");
      }
      calls.add(
          new MadeCall(
              call.path("id").asText(""),
              new Call(
                  function.path("name").textValue(),
                  arguments(function.path("arguments"), where))));
    }
    return calls;
  }

  /** vLLM parses the arguments of earlier calls for the chat template, and refuses others. */
  private static ObjectNode arguments(JsonNode arguments, String where) throws ApiError {
    try {
      String text = arguments.asText("");
      JsonNode parsed = text.isBlank() ? JSON.createObjectNode() : JSON.readTree(text);
      if (parsed instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      // Refused below, with the place.
    }
    throw ApiError.invalid(where, where + ".function.arguments must be a JSON object as a string");
  }

  /** A string, or an array of text parts. */
  private static String content(JsonNode content, String at) throws ApiError {
    if (content.isTextual()) {
      return content.textValue();
    }
    if (!content.isArray()) {
      throw ApiError.invalid(at, at + " must be a string or an array of text parts");
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      if (!part.path("type").asText("").equals("text") || !part.path("text").isTextual()) {
        throw ApiError.invalid(at, at + " holds a part that is not text");
      }
      text.append(part.path("text").textValue());
    }
    return text.toString();
  }

  private static List<ObjectNode> tools(JsonNode array) throws ApiError {
    if (!given(array)) {
      return List.of();
    }
    if (!array.isArray()) {
      throw ApiError.invalid("tools", "tools must be an array");
    }
    List<ObjectNode> tools = new ArrayList<>();
    for (JsonNode tool : array) {
      String at = "tools[" + tools.size() + "]";
      if (!tool.path("type").asText("").equals("function")
          || !tool.path("function").path("name").isTextual()) {
        throw ApiError.invalid(at, at + " must be a function with a name");
      }
      tools.add((ObjectNode) tool);
    }
    return List.copyOf(tools);
  }

  /** Without a choice the model may call a tool where there are any. */
  private static Choice toolChoice(JsonNode choice, List<ObjectNode> tools) throws ApiError {
    if (!given(choice)) {
      return tools.isEmpty() ? new Choice.None() : new Choice.Auto();
    }
    if (choice.isTextual() && choice.textValue().equals("none")) {
      return new Choice.None();
    }
    if (tools.isEmpty()) {
      throw ApiError.invalid("tool_choice", "When using `tool_choice`, `tools` must be set.");
    }
    if (choice.isTextual()) {
      return switch (choice.textValue()) {
        case "auto" -> new Choice.Auto();
        case "required" -> new Choice.Required();
        default ->
            throw ApiError.invalid(
                "tool_choice", "tool_choice must be none, auto, required or a named function");
      };
    }
    String name = choice.path("function").path("name").asText("");
    if (tools.stream().noneMatch(t -> t.path("function").path("name").asText().equals(name))) {
      throw ApiError.invalid(
          "tool_choice",
          "The tool specified in `tool_choice` does not match any of the specified `tools`");
    }
    return new Choice.Named(name);
  }

  /**
   * From {@code response_format}, or vLLM's own {@code structured_outputs}, {@code guided_json}.
   */
  private static Optional<JsonNode> schema(JsonNode root) throws ApiError {
    for (JsonNode own :
        List.of(root.path("structured_outputs").path("json"), root.path("guided_json"))) {
      if (given(own)) {
        return Optional.of(schemaOf(own));
      }
    }
    for (String unserved : List.of("regex", "grammar", "structural_tag")) {
      if (given(root.path("structured_outputs").path(unserved))) {
        throw ApiError.invalid(
            "structured_outputs", "structured_outputs." + unserved + " is not served");
      }
    }
    if (root.path("structured_outputs").path("json_object").asBoolean(false)) {
      return Optional.of(JSON.createObjectNode().put("type", "object"));
    }
    JsonNode format = root.path("response_format");
    if (!given(format)) {
      return Optional.empty();
    }
    return switch (format.path("type").asText("")) {
      case "text" -> Optional.empty();
      case "json_object" -> Optional.of(JSON.createObjectNode().put("type", "object"));
      case "json_schema" -> {
        JsonNode schema = format.path("json_schema").path("schema");
        if (!schema.isObject()) {
          throw ApiError.invalid(
              "response_format", "response_format.json_schema.schema must be an object");
        }
        yield Optional.of(schema);
      }
      default ->
          throw ApiError.invalid(
              "response_format", "response_format.type must be text, json_object or json_schema");
    };
  }

  /** vLLM takes a schema as an object or as its text. */
  private static JsonNode schemaOf(JsonNode schema) throws ApiError {
    try {
      JsonNode parsed = schema.isTextual() ? JSON.readTree(schema.textValue()) : schema;
      if (parsed != null && parsed.isObject()) {
        return parsed;
      }
    } catch (JsonProcessingException e) {
      // Refused below.
    }
    throw ApiError.invalid("structured_outputs", "the JSON schema must be an object");
  }

  private static List<String> choices(JsonNode array) throws ApiError {
    if (given(array) && (!array.isArray() || array.isEmpty())) {
      throw ApiError.invalid("structured_outputs", "structured_outputs.choice must name choices");
    }
    return texts(array);
  }

  private static List<String> stop(JsonNode stop) throws ApiError {
    List<String> texts = stop.isTextual() ? List.of(stop.textValue()) : texts(stop);
    if (texts.stream().anyMatch(String::isEmpty)) {
      throw ApiError.invalid("stop", "stop cannot contain an empty string.");
    }
    return texts;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return List.copyOf(texts);
  }

  private static String cacheSalt(JsonNode salt) throws ApiError {
    if (!given(salt)) {
      return "";
    }
    if (!salt.isTextual() || salt.textValue().isEmpty()) {
      throw ApiError.invalid(
          "cache_salt", "Parameter 'cache_salt' must be a non-empty string if provided.");
    }
    return salt.textValue();
  }

  private static OptionalInt maxTokens(JsonNode root) throws ApiError {
    for (String name : List.of("max_completion_tokens", "max_tokens")) {
      JsonNode value = root.path(name);
      if (!given(value)) {
        continue;
      }
      if (!value.canConvertToInt() || !value.isIntegralNumber() || value.intValue() < 1) {
        throw ApiError.invalid(name, name + " must be at least 1, got " + value + ".");
      }
      return OptionalInt.of(value.intValue());
    }
    return OptionalInt.empty();
  }

  private static void number(JsonNode root, String name, double least, double most)
      throws ApiError {
    JsonNode value = root.path(name);
    if (given(value)
        && (!value.isNumber() || value.doubleValue() < least || value.doubleValue() > most)) {
      throw ApiError.invalid(name, name + " is out of range, got " + value + ".");
    }
  }

  private static void whole(JsonNode root, String name) throws ApiError {
    JsonNode value = root.path(name);
    if (given(value) && !value.isIntegralNumber()) {
      throw ApiError.invalid(name, name + " must be an integer, got " + value + ".");
    }
  }

  private static boolean flag(JsonNode value, String name) throws ApiError {
    if (!given(value)) {
      return false;
    }
    if (!value.isBoolean()) {
      throw ApiError.invalid(name, name + " must be true or false");
    }
    return value.booleanValue();
  }

  private static boolean given(JsonNode value) {
    return !value.isMissingNode() && !value.isNull();
  }
}
