package dev.colony.inference.openai;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import java.time.Duration;
import java.util.Optional;

/** Carries a failed exchange through this package, with what only the retry logic needs. */
final class CallFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final Duration retryAfter;
  private final boolean overloaded;

  CallFailure(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, null, false);
  }

  CallFailure(Kind kind, String message, Throwable cause, Duration retryAfter, boolean overloaded) {
    super(message, cause, false, false);
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.overloaded = overloaded;
  }

  InferenceException toInferenceException() {
    return new InferenceException(kind, getMessage(), getCause());
  }

  Attempt.Failed toAttempt() {
    return new Attempt.Failed(toInferenceException(), Optional.ofNullable(retryAfter), overloaded);
  }
}
