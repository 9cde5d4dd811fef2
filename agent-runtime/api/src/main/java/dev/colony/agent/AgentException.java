package dev.colony.agent;

import dev.colony.inference.InferenceException;

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

  /** A model call that was refused, since a budget is spent. */
  public static AgentException spent(String message) {
    return new AgentException(
        message,
        new InferenceException(InferenceException.Kind.OUT_OF_BUDGET, message, null),
        false);
  }

  /** Whether it is that a budget is spent. */
  public boolean ofBudget() {
    return getCause() instanceof InferenceException cause
        && cause.kind() == InferenceException.Kind.OUT_OF_BUDGET;
  }

  /** Whether the same call may succeed later. */
  public boolean retryable() {
    return retryable;
  }
}
