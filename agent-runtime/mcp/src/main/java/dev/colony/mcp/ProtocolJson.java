package dev.colony.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonSchemaCheck;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The protocol's messages as JSON, by the mapper and the schema check that everything else here
 * uses. Unknown fields are passed over, since later revisions add some. Thread-safe.
 */
public final class ProtocolJson implements McpJsonMapper, JsonSchemaValidator {

  public static final ProtocolJson INSTANCE = new ProtocolJson();

  private static final ObjectMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private ProtocolJson() {}

  /** A value of the protocol as a tree. */
  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Whether a message asks for an answer: notifications and answers do not. */
  static boolean request(String message) {
    try {
      JsonNode json = MAPPER.readTree(message);
      return json.has("method") && json.has("id");
    } catch (JsonProcessingException none) {
      return true;
    }
  }

  /** An empty object. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** A tree as plain maps, lists and scalars. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> map(JsonNode object) {
    return MAPPER.convertValue(object, Map.class);
  }

  @Override
  public <T> T readValue(String text, Class<T> type) throws IOException {
    return MAPPER.readValue(text, type);
  }

  @Override
  public <T> T readValue(byte[] text, Class<T> type) throws IOException {
    return MAPPER.readValue(text, type);
  }

  @Override
  public <T> T readValue(String text, TypeRef<T> type) throws IOException {
    return MAPPER.readValue(text, MAPPER.constructType(type.getType()));
  }

  @Override
  public <T> T readValue(byte[] text, TypeRef<T> type) throws IOException {
    return MAPPER.readValue(text, MAPPER.constructType(type.getType()));
  }

  @Override
  public <T> T convertValue(Object value, Class<T> type) {
    return MAPPER.convertValue(value, type);
  }

  @Override
  public <T> T convertValue(Object value, TypeRef<T> type) {
    return MAPPER.convertValue(value, MAPPER.constructType(type.getType()));
  }

  @Override
  public String writeValueAsString(Object value) throws JsonProcessingException {
    return MAPPER.writeValueAsString(value);
  }

  @Override
  public byte[] writeValueAsBytes(Object value) throws JsonProcessingException {
    return MAPPER.writeValueAsBytes(value);
  }

  @Override
  public ValidationResponse validate(Map<String, Object> schema, Object value) {
    try {
      JsonNode json = value instanceof String text ? MAPPER.readTree(text) : tree(value);
      List<String> wrong = JsonSchemaCheck.of(tree(schema)).violations(json);
      return wrong.isEmpty()
          ? ValidationResponse.asValid(json.toString())
          : ValidationResponse.asInvalid(String.join("; ", wrong));
    } catch (JsonProcessingException | IllegalArgumentException unfit) {
      return ValidationResponse.asInvalid(unfit.getMessage());
    }
  }
}
