package dev.colony.server.openai;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a call was refused for, or why it failed, in OpenAI's form. The status is one that OpenAI's
 * clients know; they repeat a call by themselves after 408, 409, 429 and from 500 on, unless {@code
 * x-should-retry} says otherwise.
 */
public final class OpenAiError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String INVALID = "invalid_request_error";
  private static final String SERVER = "server_error";
  private static final Duration SOON = Duration.ofSeconds(1);

  private final int status;
  private final String type;
  private final String code;
  private final String param;
  private final transient Map<String, String> headers;

  /**
   * @param code that programs go by; null for none
   * @param param the field of the request that it is about; null for none
   */
  private OpenAiError(
      int status,
      String message,
      String type,
      String code,
      String param,
      Map<String, String> headers) {
    super(message, null, false, false);
    this.status = status;
    this.type = type;
    this.code = code;
    this.param = param;
    this.headers = headers;
  }

  /** A field of the request is not as it has to be. */
  public static OpenAiError invalid(String param, String message) {
    return new OpenAiError(400, message, INVALID, "invalid_value", param, Map.of());
  }

  /** A field asks for something that is not served. */
  static OpenAiError unsupported(String param, String message) {
    return new OpenAiError(400, message, INVALID, "unsupported_parameter", param, Map.of());
  }

  /** The request names something that there is not. */
  public static OpenAiError notFound(String code, String param, String message) {
    return new OpenAiError(404, message, INVALID, code, param, Map.of());
  }

  /** The caller has too many calls under way. */
  public static OpenAiError tooMany(String message) {
    return new OpenAiError(
        429, message, "rate_limit_error", "rate_limit_exceeded", null, retryAfter(SOON));
  }

  /**
   * What is known by a status and a code of another form of errors.
   *
   * @param headers that the answer has besides
   */
  public static OpenAiError of(
      int status, String code, String message, Map<String, String> headers) {
    String type =
        switch (status) {
          case 401 -> "authentication_error";
          case 403 -> "permission_error";
          case 429 -> "rate_limit_error";
          default -> status < 500 ? INVALID : SERVER;
        };
    String known = status == 401 ? "invalid_api_key" : code.replace('-', '_');
    return new OpenAiError(status, message, type, known, null, headers);
  }

  /** A model call that failed. */
  public static OpenAiError of(InferenceException failure) {
    return switch (failure.kind()) {
      case UNREACHABLE -> server(503, failure, "model_unavailable", again(failure));
      case OVERLOADED, REJECTED, EVICTED ->
          new OpenAiError(
              429,
              failure.getMessage(),
              "rate_limit_error",
              "rate_limit_exceeded",
              null,
              again(failure));
      case QUOTA, OUT_OF_BUDGET ->
          new OpenAiError(
              429,
              failure.getMessage(),
              "insufficient_quota",
              "insufficient_quota",
              null,
              once(failure));
      case REFUSED ->
          new OpenAiError(
              400, failure.getMessage(), INVALID, "refused_by_model_server", null, Map.of());
      case TOO_LONG ->
          new OpenAiError(
              400, failure.getMessage(), INVALID, "context_length_exceeded", "messages", Map.of());
      case TIMEOUT -> server(504, failure, "timeout", again(failure));
      case SERVER_ERROR -> server(502, failure, "model_server_error", again(failure));
      case BROKEN_OFF -> server(502, failure, "reply_broken_off", again(failure));
      case BAD_REPLY -> server(502, failure, "bad_reply", once(failure));
    };
  }

  private static OpenAiError server(
      int status, InferenceException failure, String code, Map<String, String> headers) {
    return new OpenAiError(status, failure.getMessage(), SERVER, code, null, headers);
  }

  private static Map<String, String> again(InferenceException failure) {
    return retryAfter(failure.retryAfter().orElse(SOON));
  }

  /** Asking again does not help, or not before what is said. */
  private static Map<String, String> once(InferenceException failure) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("x-should-retry", "false");
    failure.retryAfter().ifPresent(after -> headers.putAll(retryAfter(after)));
    return headers;
  }

  private static Map<String, String> retryAfter(Duration after) {
    long seconds = Math.max(1, after.plusMillis(999).toSeconds());
    return Map.of("Retry-After", Long.toString(seconds));
  }

  public int status() {
    return status;
  }

  /** That the answer has besides. */
  public Map<String, String> headers() {
    return headers;
  }

  /** For metrics and programs. */
  public String code() {
    return Optional.ofNullable(code).orElse(type);
  }

  /** {@code {"error": {"message", "type", "param", "code"}}}. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("error", detail());
    return json;
  }

  /** What stands under {@code error}. */
  ObjectNode detail() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("message", getMessage())
        .put("type", type)
        .put("param", param)
        .put("code", code);
  }
}
