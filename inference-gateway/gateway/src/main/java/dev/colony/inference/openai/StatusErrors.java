package dev.colony.inference.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.inference.InferenceException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Turns error statuses into failures, with the server's own words where it has any. */
final class StatusErrors {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private StatusErrors() {}

  static CallFailure failure(URI uri, HttpResponse<byte[]> response) {
    int status = response.statusCode();
    String message = uri + " answered " + status + detail(response.body());
    return new CallFailure(
        kind(status),
        message,
        null,
        retryAfter(response).orElse(null),
        status == TOO_MANY_REQUESTS || status == UNAVAILABLE);
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

  /** In either form of RFC 9110, 10.2.3; a value of neither is passed over. */
  private static Optional<Duration> retryAfter(HttpResponse<byte[]> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .map(String::strip)
        .flatMap(value ->
            value.matches("\\d{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(value)))
                : until(value, response));
  }

  /**
   * Counted from the answer's own date: the server's clock may differ from that of this machine.
   */
  private static Optional<Duration> until(String value, HttpResponse<byte[]> response) {
    Instant answered =
        response.headers().firstValue("Date").flatMap(StatusErrors::date).orElseGet(Instant::now);
    return date(value)
        .map(then -> Duration.between(answered, then))
        .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
  }

  private static Optional<Instant> date(String value) {
    try {
      return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value.strip())));
    } catch (DateTimeException none) {
      return Optional.empty();
    }
  }
}
