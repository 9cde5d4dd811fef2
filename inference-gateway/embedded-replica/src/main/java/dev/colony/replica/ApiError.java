package dev.colony.replica;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A request that is answered with an error object, in vLLM's form: its code is the status. */
final class ApiError extends Exception {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String type;
  private final String param;

  private ApiError(int status, String type, String param, String message) {
    super(message, null, false, false);
    this.status = status;
    this.type = type;
    this.param = param;
  }

  static ApiError invalid(String param, String message) {
    return new ApiError(400, "BadRequestError", param, message);
  }

  /** The prompt alone fills the context; in vLLM's words. */
  static ApiError contextLength(int contextTokens, int promptTokens) {
    return invalid(
        null,
        ("This model's maximum context length is %d tokens. However, your request has %d input"
                + " tokens. Please reduce the length of the input messages.")
            .formatted(contextTokens, promptTokens));
  }

  /** The prompt leaves less room than the reply may take; in vLLM's words. */
  static ApiError maxTokens(int contextTokens, int promptTokens, int maxTokens) {
    return invalid(
        null,
        ("'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context"
                + " length is %d tokens and your request has %d input tokens (%d > %d - %d).")
            .formatted(
                maxTokens, contextTokens, promptTokens, maxTokens, contextTokens, promptTokens));
  }

  static ApiError noModel(String model) {
    return new ApiError(404, "NotFoundError", "model", "The model `" + model + "` does not exist.");
  }

  static ApiError notFound(String path) {
    return new ApiError(404, "NotFoundError", null, "no such path: " + path);
  }

  static ApiError method(String message) {
    return new ApiError(405, "MethodNotAllowedError", null, message);
  }

  static ApiError tooLarge(String message) {
    return new ApiError(413, "PayloadTooLargeError", null, message);
  }

  static ApiError overloaded(String message) {
    return new ApiError(429, "TooManyRequestsError", null, message);
  }

  static ApiError internal(String message) {
    return new ApiError(500, "InternalServerError", null, message);
  }

  int status() {
    return status;
  }

  ObjectNode json() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.putObject("error")
        .put("message", getMessage())
        .put("type", type)
        .put("param", param)
        .put("code", status);
    return root;
  }
}
