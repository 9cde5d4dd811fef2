package dev.colony.journal;

import dev.colony.blackboard.Retryable;

/** The journal or the snapshot store could not do what it was asked. */
public sealed class JournalException extends RuntimeException implements Retryable
    permits FencedException, DamagedLogException, LostEventsException {

  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /**
   * A failure to carry out an operation.
   *
   * @param retryable whether the same operation may succeed later
   */
  public JournalException(String message, Throwable cause, boolean retryable) {
    super(message, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean retryable() {
    return retryable;
  }
}
