package dev.colony.blackboard.value;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/** Java objects as values and back: times as ISO 8601 text, unknown properties refused. */
public final class ValueMapper {

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private ValueMapper() {}

  /**
   * @throws IllegalArgumentException naming the key, if the object has no JSON form
   */
  public static JsonNode write(String key, Object object) {
    try {
      return object instanceof JsonNode node ? node : MAPPER.valueToTree(object);
    } catch (IllegalArgumentException failure) {
      throw new IllegalArgumentException(
          "the value of \"%s\" (%s) cannot be written as JSON: %s"
              .formatted(key, object.getClass().getName(), failure.getMessage()),
          failure);
    }
  }

  /**
   * @throws IllegalArgumentException naming the key, if the value does not fit the type
   */
  public static <T> T read(String key, JsonNode value, Class<T> type) {
    try {
      return MAPPER.treeToValue(value, type);
    } catch (JsonProcessingException failure) {
      throw new IllegalArgumentException(
          "the value of \"%s\" is no %s: %s"
              .formatted(key, type.getSimpleName(), failure.getOriginalMessage()),
          failure);
    }
  }
}
