package dev.colony.replica;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A request that the API answers with an OpenAI error object. */
final class ApiError extends Exception {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final String type;
  private final String code;
  private final String param;

  private ApiError(int status, String type, String code, String param, String message) {
    super(message, null, false, false);
    this.status = status;
    this.type = type;
    this.code = code;
    this.param = param;
  }

  static ApiError invalid(String param, String message) {
    return new ApiError(400, "invalid_request_error", "invalid_value", param, message);
  }

  static ApiError contextLength(String message) {
    return new ApiError(
        400, "invalid_request_error", "context_length_exceeded", "messages", message);
  }

  static ApiError notFound(String code, String message) {
    return new ApiError(404, "invalid_request_error", code, null, message);
  }

  static ApiError method(String message) {
    return new ApiError(405, "invalid_request_error", "method_not_allowed", null, message);
  }

  static ApiError tooLarge(String message) {
    return new ApiError(413, "invalid_request_error", "request_too_large", null, message);
  }

  static ApiError overloaded(String message) {
    return new ApiError(429, "rate_limit_error", "rate_limit_exceeded", null, message);
  }

  static ApiError internal(String message) {
    return new ApiError(500, "server_error", "internal_error", null, message);
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
        .put("code", code);
    return root;
  }
}
