package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.PromptLength;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * What a call was refused for, or why it failed, in OpenAI's form or Anthropic's. The status is one
 * that their clients know; they repeat a call by themselves after 408, 409, 429 and from 500 on,
 * unless {@code x-should-retry} says otherwise.
 */
public final class OpenAiError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String INVALID = "invalid_request_error";
  private static final String SERVER = "server_error";

  private static final Pattern PLACE = Pattern.compile("^[a-z][a-z0-9+.-]*://\\S+?(?=:?( |$))");

  /** The server has found no fault in the request. */
  private static final Pattern NODE_REFUSED = Pattern.compile(" answered (401|403|404|405|407)\\b");

  /** Where a server is: URLs, numbers of hosts, and names of hosts with a port. */
  private static final Pattern ADDRESS =
      Pattern.compile(
          "[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s\"'`<>()\\[\\]{},;]+"
              + "|\\[[0-9a-fA-F:]*:[0-9a-fA-F:.]+](:\\d{1,5})?"
              + "|\\b\\d{1,3}(\\.\\d{1,3}){3}(:\\d{1,5})?\\b"
              + "|\\b(localhost|[\\w-]+\\.[\\w.-]*[a-zA-Z]):\\d{2,5}\\b"
              + "|\\b[\\w-]*-[\\w-]*\\w:\\d{4,5}\\b"
              + "|\\b([\\w-]+\\.)+(local|internal|svc|lan)\\b");

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
    super(ADDRESS.matcher(message).replaceAll("[address]"), null, false, false);
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

  /**
   * A model call that failed. Of a server the caller is told what it can mend, and neither its
   * place nor what is the matter with it.
   */
  public static OpenAiError of(InferenceException failure) {
    return switch (failure.kind()) {
      case UNREACHABLE ->
          server(
              503,
              "no server of the model answers: ask again",
              "model_unavailable",
              again(failure));
      case OVERLOADED -> busy("the model server has too much to do: ask again", failure);
      case REJECTED, EVICTED -> busy(failure.getMessage(), failure);
      case QUOTA -> spent("what may be spent at the model server is used up", failure);
      case OUT_OF_BUDGET -> spent(failure.getMessage(), failure);
      case SUSPENDED ->
          new OpenAiError(
              403, failure.getMessage(), "permission_error", "tenant_suspended", null, Map.of());
      case REFUSED ->
          new OpenAiError(
              400, refusal(failure), INVALID, "refused_by_model_server", null, Map.of());
      case TOO_LONG ->
          new OpenAiError(
              400, tooLong(failure), INVALID, "context_length_exceeded", "messages", Map.of());
      case TIMEOUT ->
          server(504, "no whole reply came in time: ask again", "timeout", again(failure));
      case SERVER_ERROR ->
          server(502, "the model server failed: ask again", "model_server_error", again(failure));
      case BROKEN_OFF ->
          server(502, "the reply broke off: ask again", "reply_broken_off", again(failure));
      case BAD_REPLY -> server(502, unplaced(failure), "bad_reply", once(failure));
    };
  }

  private static OpenAiError busy(String message, InferenceException failure) {
    return new OpenAiError(
        429, message, "rate_limit_error", "rate_limit_exceeded", null, again(failure));
  }

  private static OpenAiError spent(String message, InferenceException failure) {
    return new OpenAiError(
        429, message, "insufficient_quota", "insufficient_quota", null, once(failure));
  }

  private static OpenAiError server(
      int status, String message, String code, Map<String, String> headers) {
    return new OpenAiError(status, message, SERVER, code, null, headers);
  }

  /** In OpenAI's words, by which clients know it. */
  private static String tooLong(InferenceException failure) {
    PromptLength length = failure.promptLength().orElse(PromptLength.UNKNOWN);
    OptionalLong limit = length.limitTokens();
    OptionalLong prompt = length.promptTokens();
    String has =
        prompt.isPresent()
            ? "your messages resulted in %d tokens".formatted(prompt.getAsLong())
            : "your messages resulted in more tokens";
    boolean fits =
        limit.isPresent() && prompt.isPresent() && prompt.getAsLong() <= limit.getAsLong();
    return "This model's maximum context length is %s. However, %s%s. Please reduce the length of the messages."
        .formatted(
            limit.isPresent() ? limit.getAsLong() + " tokens" : "exceeded",
            has,
            fits ? ", which leaves too little room for a reply" : "");
  }

  /** The server's words, unless it is the node that it refuses. */
  private static String refusal(InferenceException failure) {
    return NODE_REFUSED.matcher(failure.getMessage()).find()
        ? "the model server does not take requests of this node: see its log"
        : unplaced(failure);
  }

  /** Without the place of the server that the message begins with. */
  private static String unplaced(InferenceException failure) {
    return PLACE.matcher(failure.getMessage()).replaceFirst("the model server");
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

  public Map<String, String> headers() {
    return headers;
  }

  public String code() {
    return Optional.ofNullable(code).orElse(type);
  }

  /** {@code {"error": {"message", "type", "param", "code"}}}. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("error", detail());
    return json;
  }

  /** {@code {"type": "error", "error": {"type", "message", "details"}}}, as Anthropic has it. */
  ObjectNode toAnthropic() {
    String kind =
        switch (status) {
          case 404 -> "not_found_error";
          case 413 -> "request_too_large";
          case 429 -> "rate_limit_error";
          case 504 -> "timeout_error";
          default -> status < 500 ? type : "api_error";
        };
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("type", "error");
    ObjectNode error = json.putObject("error").put("type", kind).put("message", getMessage());
    error.putObject("details").put("error_code", code());
    return json;
  }

  ObjectNode detail() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("message", getMessage())
        .put("type", type)
        .put("param", param)
        .put("code", code);
  }
}
