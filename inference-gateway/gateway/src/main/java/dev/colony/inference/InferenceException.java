package dev.colony.inference;

import java.time.Duration;
import java.util.Optional;

/** A model call failed. The message is one line that names the server and what it did. */
public final class InferenceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What went wrong, for metrics and exit codes. */
  public enum Kind {
    /** No server answers at the address, or none is known that could be asked. */
    UNREACHABLE,
    /** The server answered with an error status. */
    SERVER_ERROR,
    /** The server has too much to do, or the caller asks too often: status 429 or 503. */
    OVERLOADED,
    /** The gateway has no room for the call; it was not begun. */
    REJECTED,
    /** The call waited for a replica, and its place went to one that goes before it. */
    EVICTED,
    /** What the caller may spend at the server is used up; waiting does not help. */
    QUOTA,
    /**
     * A budget of the gateway is spent, whichever model is asked; the completion was not begun, and
     * waiting does not help.
     */
    OUT_OF_BUDGET,
    /** The server refused the request: asking again will not help. */
    REFUSED,
    /** The prompt has more tokens than the model takes. */
    TOO_LONG,
    /** No answer within the deadline. */
    TIMEOUT,
    /** The answer ended before it was whole. */
    BROKEN_OFF,
    /** The answer is not what the protocol or the schema says. */
    BAD_REPLY
  }

  private final Kind kind;
  private final transient Usage usage;
  private final Duration retryAfter;
  private final String fault;

  public InferenceException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, Usage.NONE);
  }

  /**
   * @param usage that was spent although the call failed, as far as servers said
   */
  public InferenceException(Kind kind, String message, Throwable cause, Usage usage) {
    this(kind, message, cause, usage, Optional.empty());
  }

  /**
   * @param usage that was spent although the call failed, as far as servers said
   * @param retryAfter when the call may succeed; empty where that is not known
   */
  public InferenceException(
      Kind kind, String message, Throwable cause, Usage usage, Optional<Duration> retryAfter) {
    this(kind, message, cause, usage, retryAfter, Optional.empty());
  }

  /**
   * @param usage that was spent although the call failed, as far as servers said
   * @param retryAfter when the call may succeed; empty where that is not known
   * @param fault of a {@link Kind#BAD_REPLY}, as {@link #fault} gives it
   */
  public InferenceException(
      Kind kind,
      String message,
      Throwable cause,
      Usage usage,
      Optional<Duration> retryAfter,
      Optional<String> fault) {
    super(message, cause);
    this.kind = kind;
    this.usage = usage;
    this.retryAfter = retryAfter.orElse(null);
    this.fault = fault.orElse(null);
  }

  public Kind kind() {
    return kind;
  }

  /** What the call used up, as far as servers said. */
  public Usage usage() {
    return usage == null ? Usage.NONE : usage;
  }

  /**
   * How long to wait before the call is made again: what the server asked for, or what the gateway
   * estimates. Empty where that is not known, and where waiting does not help.
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /**
   * What is wrong with a reply, on one line for the model that gave it: without the server, which
   * is no concern of the model. Empty for other failures, and where nobody said.
   */
  public Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return switch (kind) {
      case UNREACHABLE, SERVER_ERROR, OVERLOADED, REJECTED, EVICTED, TIMEOUT, BROKEN_OFF -> true;
      case QUOTA, OUT_OF_BUDGET, REFUSED, TOO_LONG, BAD_REPLY -> false;
    };
  }
}
