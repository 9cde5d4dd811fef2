package dev.colony.inference;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

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
    /** The caller's tenant is suspended as a whole, until somebody resumes it. */
    SUSPENDED,
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

  /**
   * The numbers of a prompt that is too long, by which a caller shortens or splits it.
   *
   * @param limitTokens that the model takes, of prompt and reply together; empty where nothing says
   *     it
   * @param promptTokens that the prompt has, or at least has, as the server counts or else
   *     estimated; empty where nothing says it
   */
  public record PromptLength(OptionalLong limitTokens, OptionalLong promptTokens) {

    public static final PromptLength UNKNOWN =
        new PromptLength(OptionalLong.empty(), OptionalLong.empty());
  }

  private final Kind kind;
  private final transient Usage usage;
  private final Duration retryAfter;
  private final transient PromptLength promptLength;
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
    this(kind, message, cause, usage, retryAfter, PromptLength.UNKNOWN, Optional.empty());
  }

  /**
   * @param usage that was spent although the call failed, as far as servers said
   * @param retryAfter when the call may succeed; empty where that is not known
   * @param promptLength of a prompt that is {@link Kind#TOO_LONG}; else not looked at
   * @param fault of a {@link Kind#BAD_REPLY}, as {@link #fault} gives it
   */
  public InferenceException(
      Kind kind,
      String message,
      Throwable cause,
      Usage usage,
      Optional<Duration> retryAfter,
      PromptLength promptLength,
      Optional<String> fault) {
    super(message, cause);
    this.kind = kind;
    this.usage = usage;
    this.retryAfter = retryAfter.orElse(null);
    this.promptLength = promptLength;
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

  /** By how much the prompt is too long; empty unless that is what failed. */
  public Optional<PromptLength> promptLength() {
    return kind == Kind.TOO_LONG
        ? Optional.of(promptLength == null ? PromptLength.UNKNOWN : promptLength)
        : Optional.empty();
  }

  /**
   * What is wrong with a reply, on one line for the model that gave it: without the server, which
   * is no concern of the model. Empty for other failures, and where it is not known.
   */
  public Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return switch (kind) {
      case UNREACHABLE, SERVER_ERROR, OVERLOADED, REJECTED, EVICTED, TIMEOUT, BROKEN_OFF -> true;
      case QUOTA, OUT_OF_BUDGET, SUSPENDED, REFUSED, TOO_LONG, BAD_REPLY -> false;
    };
  }
}
