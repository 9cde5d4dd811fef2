package dev.colony.replica;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.replica.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes whole replies. */
final class Exchanges {

  static final ObjectMapper JSON = new ObjectMapper();

  private Exchanges() {}

  static void json(Exchange exchange, int status, JsonNode body)
      throws IOException, InterruptedException {
    exchange.reply(status, "application/json", write(body));
  }

  static void text(Exchange exchange, int status, String type, String body)
      throws IOException, InterruptedException {
    exchange.reply(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] write(JsonNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree is always writable", e);
    }
  }
}
