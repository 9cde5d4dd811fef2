package dev.colony.client.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON as it comes out at the other end: written as UTF-8 and parsed again. */
final class OverTheWire {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private OverTheWire() {}

  static JsonNode sent(JsonNode json) {
    try {
      return MAPPER.readTree(MAPPER.writeValueAsBytes(json));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
