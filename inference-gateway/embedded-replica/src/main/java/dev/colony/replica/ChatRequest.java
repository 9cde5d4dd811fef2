package dev.colony.replica;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A chat-completions request, checked.
 *
 * @param schema the JSON schema of {@code response_format}; an empty object where any JSON object
 *     will do
 */
record ChatRequest(
    String model,
    List<Message> messages,
    Optional<JsonNode> schema,
    OptionalInt maxTokens,
    boolean stream,
    boolean streamUsage) {

  private static final ObjectMapper JSON = new ObjectMapper();
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
    return new ChatRequest(
        root.path("model").textValue(),
        messages(root.path("messages")),
        schema(root.path("response_format")),
        maxTokens(root),
        flag(root.path("stream"), "stream"),
        flag(root.path("stream_options").path("include_usage"), "stream_options.include_usage"));
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
      messages.add(new Message(role, content(message.path("content"), at + ".content")));
    }
    return List.copyOf(messages);
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

  private static Optional<JsonNode> schema(JsonNode format) throws ApiError {
    if (format.isMissingNode() || format.isNull()) {
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

  private static OptionalInt maxTokens(JsonNode root) throws ApiError {
    for (String name : List.of("max_completion_tokens", "max_tokens")) {
      JsonNode value = root.path(name);
      if (value.isMissingNode() || value.isNull()) {
        continue;
      }
      if (!value.canConvertToInt() || !value.isIntegralNumber() || value.intValue() < 1) {
        throw ApiError.invalid(name, name + " must be a positive integer");
      }
      return OptionalInt.of(value.intValue());
    }
    return OptionalInt.empty();
  }

  private static boolean flag(JsonNode value, String name) throws ApiError {
    if (value.isMissingNode() || value.isNull()) {
      return false;
    }
    if (!value.isBoolean()) {
      throw ApiError.invalid(name, name + " must be true or false");
    }
    return value.booleanValue();
  }
}
