package dev.colony.agent;

/** An agent could not be described, reached or run. The message is one line for people. */
public final class AgentException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  public AgentException(String message, Throwable cause, boolean retryable) {
    super(message, cause);
    this.retryable = retryable;
  }

  /** Something that the same call will not mend. */
  public static AgentException refused(String message) {
    return new AgentException(message, null, false);
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return retryable;
  }
}
