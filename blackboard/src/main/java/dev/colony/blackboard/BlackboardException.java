package dev.colony.blackboard;

/** The backend could not carry out an operation. */
public final class BlackboardException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  public BlackboardException(String message, Throwable cause, boolean retryable) {
    super(message, cause);
    this.retryable = retryable;
  }

  /** Whether the same operation may succeed later. */
  public boolean retryable() {
    return retryable;
  }
}
