package dev.colony.inference.provider;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;

/** Turns error statuses into failures, with the server's own words where it has any. */
final class StatusErrors {

  private StatusErrors() {}

  static CallFailure failure(URI uri, HttpResponse<?> response, byte[] body) {
    return failure(uri, response.statusCode(), response.headers(), body, null);
  }

  /**
   * @param cause where there is more to it than status and body
   */
  static CallFailure failure(
      URI uri, int status, HttpHeaders headers, byte[] body, Throwable cause) {
    return told(ServerError.in(body), status, headers, "answered " + status, cause).at(uri);
  }

  /** An error in the place of a reply. */
  static CallFailure instead(ServerError error, HttpResponse<?> response) {
    String what = "answered %d with an error".formatted(response.statusCode());
    String code = error.status() == 0 ? "" : " " + error.status();
    return told(error, response.statusCode(), response.headers(), what + code, null);
  }

  /** An error in the place of the rest of a reply. */
  static CallFailure midway(ServerError error, String what) {
    return told(error, 0, HttpHeaders.of(Map.of(), (name, value) -> true), what, null);
  }

  private static CallFailure told(
      ServerError error, int status, HttpHeaders headers, String what, Throwable cause) {
    String detail = error.text().isBlank() ? "" : ": " + HttpExchanges.oneLine(error.text());
    return CallFailure.told(
        error, error.kind(status), what + detail, cause, retryAfter(headers).orElse(null));
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
