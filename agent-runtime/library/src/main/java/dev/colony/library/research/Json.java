package dev.colony.library.research;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.UncheckedIOException;

/** The package's records as JSON trees and back. */
final class Json {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  static JsonNode of(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Reads a record; what does not fit is an IllegalArgumentException that says why. */
  static <T> T read(JsonNode json, Class<T> type) {
    return MAPPER.convertValue(json, type);
  }

  static <T> T read(JsonNode json, TypeReference<T> type) {
    return MAPPER.convertValue(json, type);
  }

  static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
