package dev.colony.blackboard.value;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Writes values and metadata as JSON and reads them back. Thread-safe. */
public final class ValueCodec {

  private static final TypeReference<Map<String, String>> METADATA = new TypeReference<>() {};
  private static final byte[] NONE = {};

  private final int maxValueBytes;
  private final ObjectMapper mapper;

  public ValueCodec(int maxValueBytes) {
    this.maxValueBytes = maxValueBytes;
    // What passed the limit on its way in must pass on its way out, however long its parts are.
    StreamReadConstraints asLongAsTheValue =
        StreamReadConstraints.builder()
            .maxStringLength(Integer.MAX_VALUE)
            .maxNumberLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();
    this.mapper =
        new ObjectMapper(JsonFactory.builder().streamReadConstraints(asLongAsTheValue).build());
  }

  /**
   * The value as JSON.
   *
   * @throws IllegalArgumentException naming the key, if the value breaks one of the {@link
   *     ValueRules} or is longer than the limit
   */
  public byte[] value(String key, JsonNode value) {
    ValueRules.check("the value of \"" + key + "\"", value);
    byte[] bytes;
    try {
      bytes = mapper.writeValueAsBytes(value);
    } catch (JsonProcessingException failure) {
      throw new IllegalArgumentException(
          "the value of \"" + key + "\" cannot be written as JSON: " + failure.getOriginalMessage(),
          failure);
    }
    if (bytes.length > maxValueBytes) {
      throw new IllegalArgumentException(
          "the value of \"%s\" has %d bytes, more than colony.blackboard.max-value-bytes (%d)"
              .formatted(key, bytes.length, maxValueBytes));
    }
    return bytes;
  }

  public JsonNode value(byte[] bytes) {
    try {
      return mapper.readTree(bytes);
    } catch (IOException failure) {
      throw unreadable(bytes, failure);
    }
  }

  /** No bytes for no metadata. */
  public byte[] metadata(Map<String, String> metadata) {
    return metadata.isEmpty() ? NONE : text(new TreeMap<>(metadata));
  }

  public Map<String, String> metadata(byte[] bytes) {
    return bytes.length == 0 ? Map.of() : Map.copyOf(read(bytes, METADATA));
  }

  private byte[] text(Object strings) {
    try {
      return mapper.writeValueAsBytes(strings);
    } catch (JsonProcessingException failure) {
      throw new IllegalArgumentException(failure.getOriginalMessage(), failure);
    }
  }

  private <T> T read(byte[] bytes, TypeReference<T> type) {
    try {
      return mapper.readValue(bytes, type);
    } catch (IOException failure) {
      throw unreadable(bytes, failure);
    }
  }

  private static IllegalStateException unreadable(byte[] bytes, IOException failure) {
    String begin = new String(bytes, 0, Math.min(40, bytes.length), StandardCharsets.UTF_8);
    return new IllegalStateException("not what was written: " + begin, failure);
  }
}
