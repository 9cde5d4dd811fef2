package dev.colony.inference.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.InferenceException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Turns error statuses into failures, with the server's own words where it has any. */
final class StatusErrors {

  private static final ObjectMapper JSON = new ObjectMapper();

  private StatusErrors() {}

  static CallFailure failure(URI uri, HttpResponse<byte[]> response) {
    int status = response.statusCode();
    String message = uri + " answered " + status + detail(response.body());
    return new CallFailure(kind(status), message, null, retryAfter(response).orElse(null));
  }

  private static Kind kind(int status) {
    return switch (status) {
      case 408 -> Kind.TIMEOUT;
      case 425, 429 -> Kind.SERVER_ERROR;
      default -> status >= 500 ? Kind.SERVER_ERROR : status >= 400 ? Kind.REFUSED : Kind.BAD_REPLY;
    };
  }

  private static String detail(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    try {
      JsonNode root = JSON.readTree(body);
      JsonNode error = root == null ? null : root.path("error");
      if (error != null && error.path("message").isTextual()) {
        text = error.path("message").textValue();
      }
    } catch (IOException e) {
      // Not JSON: the text itself says what there is to say.
    }
    return text.isBlank() ? "" : ": " + HttpExchanges.oneLine(text);
  }

  /** Only the form in seconds: the date form would compare two clocks. */
  private static Optional<Duration> retryAfter(HttpResponse<byte[]> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(value -> value.matches("\\d{1,9}"))
        .map(value -> Duration.ofSeconds(Long.parseLong(value)));
  }
}
