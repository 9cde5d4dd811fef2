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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An error as a server tells of it, in one of the forms that servers have for it: in the body of an
 * error status, in that of a status 200, or in the place of a part of a stream.
 *
 * @param status by the error's own code; 0 where that is none
 * @param code and type, as far as there are
 * @param text the server's words; empty for none
 * @param param what it names as wrong; empty if it names nothing
 * @param length what it says of tokens that are too many
 */
record ServerError(
    int status, String code, String text, String param, Optional<LengthRefusal> length) {

  static final ServerError NONE = new ServerError(0, "", "", "", Optional.empty());

  /** Of a stream that ends without a word: its head was sent before the request was looked at. */
  static final ServerError SILENT = new ServerError(0, "silent", "", "", Optional.empty());

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Pattern BUSY =
      Pattern.compile("rate.?limit|overloaded|throttl|too.?many.?requests|resource.?exhausted");

  /** What a reply, or a part of one, has in each of the protocols. */
  private static final List<String> REPLY =
      List.of("choices", "output", "content", "delta", "response", "data", "usage");

  /** Where servers put their words that do not put them into an error. */
  private static final List<String> WORDS =
      List.of(
          "/message",
          "/detail",
          "/detail/message",
          "/detail/error",
          "/detail/error/message",
          "/msg",
          "/errors/0/message",
          "/errors/0",
          "/error_msg",
          "/errorMessage",
          "/error_description",
          "/base_resp/status_msg",
          "/fault/faultstring");

  private static final Pattern REFUSED =
      Pattern.compile("invalid.?request|bad.?request|authentication|permission|not.?found");

  /** The error that the body of an error status tells of. */
  static ServerError in(byte[] body) {
    JsonNode root = json(body);
    JsonNode whole = root.isArray() ? root.path(0) : root;
    JsonNode error = whole.path("error");
    if (error.isObject()) {
      return of(error);
    }
    String text = named(error, whole);
    return of(whole, text.isEmpty() ? new String(body, StandardCharsets.UTF_8) : text);
  }

  /**
   * The error in what came as a reply, or as a part of one; empty where it is none.
   *
   * @param event the event's name; empty where there is none
   */
  static Optional<ServerError> within(String event, JsonNode reply) {
    JsonNode whole = reply.isArray() ? reply.path(0) : reply;
    for (JsonNode error : new JsonNode[] {whole.path("error"), whole.at("/choices/0/error")}) {
      if (error.isContainerNode() && !error.isEmpty()) {
        return Optional.of(of(error));
      }
      if (error.isTextual() && !error.textValue().isBlank()) {
        return Optional.of(of(whole, named(error, whole)));
      }
    }
    boolean told =
        event.equals("error")
            || whole.path("error").asBoolean()
            || whole.path("type").asText().equals("error")
            || whole.path("object").asText().equals("error");
    boolean some = REPLY.stream().anyMatch(whole::hasNonNull);
    if (!told && (some || words(whole).isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(words(whole).isEmpty() ? of(whole) : of(whole, words(whole)));
  }

  /** Some name the status in the error, and say beside it what is wrong. */
  private static String named(JsonNode error, JsonNode whole) {
    String name = error.isTextual() ? error.textValue() : "";
    String words = words(whole);
    if (name.isBlank()) {
      return words;
    }
    return words.isEmpty() || name.contains(words) ? name : name + ": " + words;
  }

  /** That of a body that came as a reply. */
  static Optional<ServerError> within(byte[] body) {
    return within("", json(body));
  }

  /** An error object. */
  static ServerError of(JsonNode error) {
    JsonNode message = error.path("message");
    return of(error, message.isContainerNode() ? message.toString() : message.asText(""));
  }

  private static ServerError of(JsonNode error, String text) {
    String code =
        "%s %s %s %s"
            .formatted(
                error.path("code").asText(""),
                error.path("type").asText(""),
                error.path("status").asText(""),
                error.path("__type").asText(""))
            .toLowerCase(Locale.ROOT);
    int status = 0;
    for (String field :
        List.of(
            "/code",
            "/http_status_code",
            "/status_code",
            "/statusCode",
            "/status",
            "/error_code",
            "/errors/0/code")) {
      int number = error.at(field).asInt(0);
      status = status == 0 && number >= 400 && number < 600 ? number : status;
    }
    return new ServerError(
        status, code, text, error.path("param").asText(""), LengthRefusal.of(code, text, error));
  }

  private static JsonNode json(byte[] body) {
    try {
      JsonNode root = JSON.readTree(body);
      return root == null ? MissingNode.getInstance() : root;
    } catch (IOException e) {
      // Not JSON: the text itself says what there is to say.
      return MissingNode.getInstance();
    }
  }

  /** The words of an error that is no object of its own; empty for none. */
  private static String words(JsonNode whole) {
    return WORDS.stream()
        .map(whole::at)
        .map(said -> said.isTextual() ? said.textValue() : detail(said))
        .filter(text -> !text.isBlank())
        .findFirst()
        .orElse("");
  }

  /** Of FastAPI: what it repeats of the request is none of its words. */
  private static String detail(JsonNode detail) {
    StringBuilder text = new StringBuilder(detail.asText(""));
    for (JsonNode one : detail) {
      text.append(text.isEmpty() ? "" : "; ").append(one.path("msg").asText(""));
    }
    return text.toString();
  }

  /**
   * What went wrong.
   *
   * @param http the reply's status; where that is none of an error, the error's own code counts
   */
  Kind kind(int http) {
    int by = http >= 300 ? http : status;
    boolean tooLong = length.filter(LengthRefusal.Context.class::isInstance).isPresent();
    boolean quota = code.contains("insufficient_quota");
    boolean busy =
        BUSY.matcher(code).find() || by == 413 && LengthRefusal.RATES.matcher(text).find();
    return switch (by) {
      case 401, 403, 404 -> Kind.REFUSED;
      case 402 -> Kind.QUOTA;
      case 408 -> Kind.TIMEOUT;
      case 425 -> Kind.SERVER_ERROR;
      case 429 -> quota ? Kind.QUOTA : Kind.OVERLOADED;
      default -> {
        if (by >= 300 && by < 400) {
          yield Kind.BAD_REPLY;
        }
        if (tooLong) {
          yield Kind.TOO_LONG;
        }
        if (quota) {
          yield Kind.QUOTA;
        }
        if (busy || by == 503 || by == 529) {
          yield Kind.OVERLOADED;
        }
        boolean refused = by == 0 ? REFUSED.matcher(code).find() : by < 500;
        yield by == 413 ? Kind.TOO_LONG : refused ? Kind.REFUSED : Kind.SERVER_ERROR;
      }
    };
  }

  /** Turns error statuses into failures, with the server's own words where it has any. */
  static final class StatusErrors {

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
}
