package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.colony.inference.InferenceException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Turns error statuses into failures, with the server's own words where it has any. */
final class StatusErrors {

  private static final ObjectMapper JSON = new ObjectMapper();

  private StatusErrors() {}

  static CallFailure failure(URI uri, HttpResponse<?> response, byte[] body) {
    return failure(uri, response.statusCode(), response.headers(), body, null);
  }

  /**
   * @param cause where there is more to it than status and body
   */
  static CallFailure failure(
      URI uri, int status, HttpHeaders headers, byte[] body, Throwable cause) {
    JsonNode error = error(body);
    String text =
        error.path("message").isTextual()
            ? error.path("message").textValue()
            : new String(body, StandardCharsets.UTF_8);
    String detail = text.isBlank() ? "" : ": " + HttpExchanges.oneLine(text);
    return new CallFailure(
        kind(status, error.path("code").asText("") + " " + error.path("type").asText(""), text),
        uri + " answered " + status + detail,
        cause,
        retryAfter(headers).orElse(null),
        error.path("param").asText(""));
  }

  private static Kind kind(int status, String code, String text) {
    String words = text.toLowerCase(Locale.ROOT);
    boolean length =
        code.contains("context_length")
            || words.contains("maximum context length")
            || words.contains("context size")
            || words.contains("context window")
            || words.contains("prompt is too long");
    return switch (status) {
      case 408 -> Kind.TIMEOUT;
      case 425 -> Kind.SERVER_ERROR;
      case 402 -> Kind.QUOTA;
      case 429 -> code.contains("insufficient_quota") ? Kind.QUOTA : Kind.OVERLOADED;
      case 503, 529 -> Kind.OVERLOADED;
      default ->
          status >= 500
              ? Kind.SERVER_ERROR
              : status < 400 ? Kind.BAD_REPLY : length ? Kind.TOO_LONG : Kind.REFUSED;
    };
  }

  /** The error that the body tells of, in one of the forms that servers have for it. */
  private static JsonNode error(byte[] body) {
    try {
      JsonNode root = JSON.readTree(body);
      if (root == null) {
        return MissingNode.getInstance();
      }
      JsonNode whole = root.isArray() ? root.path(0) : root;
      if (whole.path("error").isObject()) {
        return whole.path("error");
      }
      String text = whole.path("error").asText(whole.path("detail").asText(""));
      return text.isEmpty() ? whole : JSON.createObjectNode().put("message", text);
    } catch (IOException e) {
      // Not JSON: the text itself says what there is to say.
      return MissingNode.getInstance();
    }
  }

  /** In either form of RFC 9110, 10.2.3; a value of neither is passed over. */
  private static Optional<Duration> retryAfter(HttpHeaders headers) {
    return headers
        .firstValue("Retry-After")
        .map(String::strip)
        .flatMap(value ->
            value.matches("\\d{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(value)))
                : until(value, headers));
  }

  /**
   * Counted from the answer's own date: the server's clock may differ from that of this machine.
   */
  private static Optional<Duration> until(String value, HttpHeaders headers) {
    Instant answered =
        headers.firstValue("Date").flatMap(StatusErrors::date).orElseGet(Instant::now);
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
