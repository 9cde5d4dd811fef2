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
    /** The server refused the request: asking again will not help. */
    REFUSED,
    /** No answer within the deadline. */
    TIMEOUT,
    /** The answer is not what the protocol or the schema says. */
    BAD_REPLY
  }

  private final Kind kind;

  public InferenceException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return kind != Kind.REFUSED && kind != Kind.BAD_REPLY;
  }
}
