package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.Usage;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Carries a failed exchange through this package, with what only the retry logic needs. */
final class CallFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final Duration retryAfter;

  /** What the server named as wrong; empty if it named nothing. */
  private final String param;

  /** Whether the message says which server it is about. */
  private final boolean placed;

  /** What is wrong with a reply, for the model; null for other failures. */
  private final String fault;

  CallFailure(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, null, "");
  }

  CallFailure(Kind kind, String message, Throwable cause, Duration retryAfter, String param) {
    this(kind, message, cause, retryAfter, param, true, null);
  }

  private CallFailure(
      Kind kind,
      String message,
      Throwable cause,
      Duration retryAfter,
      String param,
      boolean placed,
      String fault) {
    super(message, cause, false, false);
    this.fault = fault;
    this.placed = placed;
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.param = param;
  }

  /** A reply that is not what the protocol says; {@link #at} adds whose. */
  static CallFailure bad(String what) {
    return unplaced(Kind.BAD_REPLY, what, null);
  }

  /**
   * A reply that is not what it has to be; {@link #at} adds whose.
   *
   * @param fault what is wrong with it, for the model that gave it
   */
  static CallFailure bad(String what, String fault) {
    return new CallFailure(Kind.BAD_REPLY, what, null, null, "", false, fault);
  }

  /** An error that came in place of the reply or of its rest; {@link #at} adds whose. */
  static CallFailure said(JsonNode error, String otherwise) {
    String words = error.path("message").asText(error.isTextual() ? error.textValue() : "");
    String message = words.isEmpty() ? otherwise : otherwise + ": " + HttpExchanges.oneLine(words);
    String code = error.path("code").asText("") + " " + error.path("type").asText("");
    boolean busy =
        code.contains("rate_limit") || code.contains("overloaded") || code.contains("429");
    return unplaced(busy ? Kind.OVERLOADED : Kind.SERVER_ERROR, message, null);
  }

  /** A failure whose message begins with what the server did; {@link #at} adds which server. */
  static CallFailure unplaced(Kind kind, String what, Throwable cause) {
    String fault = kind == Kind.BAD_REPLY ? "the model server " + what : null;
    return new CallFailure(kind, what, cause, null, "", false, fault);
  }

  CallFailure at(URI uri) {
    return placed
        ? this
        : new CallFailure(
            kind, uri + " " + getMessage(), getCause(), retryAfter, param, true, fault);
  }

  Kind kind() {
    return kind;
  }

  String param() {
    return param;
  }

  InferenceException toInferenceException() {
    return toInferenceException(Usage.NONE);
  }

  InferenceException toInferenceException(Usage spent) {
    return new InferenceException(
        kind,
        getMessage(),
        getCause(),
        spent,
        Optional.ofNullable(retryAfter),
        Optional.ofNullable(fault));
  }

  Attempt.Failed toAttempt(Usage spent) {
    return new Attempt.Failed(toInferenceException(spent));
  }
}
