package dev.colony.inference;

/** A model call failed. The message is one line that names the server and what it did. */
public final class InferenceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What went wrong, for metrics and exit codes. */
  public enum Kind {
    /** No server answers at the address. */
    UNREACHABLE,
    /** The server answered with an error status. */
    SERVER_ERROR,
    /** The server has too much to do, or the caller asks too often: status 429 or 503. */
    OVERLOADED,
    /** What the caller may spend at the server is used up; waiting does not help. */
    QUOTA,
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

  public InferenceException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, Usage.NONE);
  }

  /**
   * @param usage that was spent although the call failed, as far as servers said
   */
  public InferenceException(Kind kind, String message, Throwable cause, Usage usage) {
    super(message, cause);
    this.kind = kind;
    this.usage = usage;
  }

  public Kind kind() {
    return kind;
  }

  /** What the call used up, as far as servers said. */
  public Usage usage() {
    return usage == null ? Usage.NONE : usage;
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return switch (kind) {
      case UNREACHABLE, SERVER_ERROR, OVERLOADED, TIMEOUT, BROKEN_OFF -> true;
      case QUOTA, REFUSED, TOO_LONG, BAD_REPLY -> false;
    };
  }
}
