package dev.colony.inference.provider;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Carries a failed exchange through this package, with what only the retry logic needs. */
final class CallFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final Duration retryAfter;

  /** The server's own words, where it has any. */
  private final ServerError error;

  /** By how much a prompt is too long, where it is. */
  private final PromptLength promptLength;

  /** Whether the message says which server it is about. */
  private final boolean placed;

  /** What is wrong with a reply, for the model; null for other failures. */
  private final String fault;

  CallFailure(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, null, ServerError.NONE, PromptLength.UNKNOWN, true, null);
  }

  private CallFailure(
      Kind kind,
      String message,
      Throwable cause,
      Duration retryAfter,
      ServerError error,
      PromptLength promptLength,
      boolean placed,
      String fault) {
    super(message, cause, false, false);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.error = error;
    this.promptLength = promptLength;
    this.placed = placed;
    this.fault = fault;
  }

  /** What a server says; {@link #at} adds which server. */
  static CallFailure told(
      ServerError error, Kind kind, String message, Throwable cause, Duration retryAfter) {
    return new CallFailure(kind, message, cause, retryAfter, error, numbers(error, 0), false, null);
  }

  /** A prompt that is not sent, because it cannot fit. */
  static CallFailure tooLong(String message, PromptLength numbers) {
    return new CallFailure(
        Kind.TOO_LONG, message, null, null, ServerError.NONE, numbers, true, null);
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
    return unplaced(Kind.BAD_REPLY, what, null, fault);
  }

  /** A failure whose message begins with what the server did; {@link #at} adds which server. */
  static CallFailure unplaced(Kind kind, String what, Throwable cause) {
    return unplaced(kind, what, cause, kind == Kind.BAD_REPLY ? "the model server " + what : null);
  }

  private static CallFailure unplaced(Kind kind, String what, Throwable cause, String fault) {
    return new CallFailure(
        kind, what, cause, null, ServerError.NONE, PromptLength.UNKNOWN, false, fault);
  }

  /** A stream that ended before its first part; {@link #at} adds whose. */
  static CallFailure silent(String what) {
    return new CallFailure(
        Kind.BROKEN_OFF, what, null, null, ServerError.SILENT, PromptLength.UNKNOWN, false, null);
  }

  /** Whether the server may say what is wrong where it is not asked for a stream. */
  boolean silent() {
    return error.equals(ServerError.SILENT);
  }

  CallFailure at(URI uri) {
    return placed
        ? this
        : new CallFailure(
            kind,
            uri + " " + getMessage(),
            getCause(),
            retryAfter,
            error,
            promptLength,
            true,
            fault);
  }

  /**
   * With the numbers of a prompt that is too long.
   *
   * @param replyTokens the reply's bound that was sent
   */
  CallFailure asked(int replyTokens) {
    return error.length().isEmpty()
        ? this
        : new CallFailure(
            kind,
            getMessage(),
            getCause(),
            retryAfter,
            error,
            numbers(error, replyTokens),
            placed,
            fault);
  }

  private static PromptLength numbers(ServerError error, int replyTokens) {
    return error.length().orElse(null) instanceof LengthRefusal.Context context
        ? context.length(replyTokens)
        : PromptLength.UNKNOWN;
  }

  /** Whether the server has said itself that there is no reply. */
  boolean refusal() {
    return !error.equals(ServerError.NONE);
  }

  /** What the server said of tokens that are too many. */
  Optional<LengthRefusal> length() {
    return error.length();
  }

  Kind kind() {
    return kind;
  }

  /** What the server named as wrong; empty if it named nothing. */
  String param() {
    return error.param();
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
        promptLength,
        Optional.ofNullable(fault));
  }

  Attempt.Failed toAttempt(Usage spent) {
    return new Attempt.Failed(toInferenceException(spent));
  }
}
