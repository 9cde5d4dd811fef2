package dev.colony.journal;

import dev.colony.blackboard.Retryable;

/** The journal or the snapshot store could not do what it was asked. */
public sealed class JournalException extends RuntimeException implements Retryable {

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

  /**
   * A log lacks what it must hold: a sequence number between its first and its last is missing, its
   * parts contradict one another, or a snapshot speaks of events it never had. Redis has lost data;
   * the persistent actor must not go on over it.
   */
  public static final class DamagedLogException extends JournalException {

    private static final long serialVersionUID = 1L;

    private final String persistenceId;

    DamagedLogException(String persistenceId, String damage) {
      super("log of " + persistenceId + " is damaged: " + damage, null, false);
      this.persistenceId = persistenceId;
    }

    public String persistenceId() {
      return persistenceId;
    }
  }

  /**
   * An append did not continue where the log ends, so its writer is not the one whose turn it is:
   * another incarnation has written since, or Redis lost what this one wrote. Nothing was stored.
   * Never retry: a writer that gets this stops, or recovers and claims the log anew.
   */
  public static final class FencedException extends JournalException {

    private static final long serialVersionUID = 1L;

    private final String persistenceId;
    private final long expected;
    private final long actual;

    FencedException(
        String persistenceId, long expected, long actual, String writer, String lastWriter) {
      super(
          "append to %s refused: it continues at %d by writer %s, the log goes on at %d after writer %s"
              .formatted(persistenceId, actual, writer, expected, lastWriter),
          null,
          false);
      this.persistenceId = persistenceId;
      this.expected = expected;
      this.actual = actual;
    }

    public String persistenceId() {
      return persistenceId;
    }

    /** The sequence number at which the log goes on. */
    public long expected() {
      return expected;
    }

    /** The sequence number at which the writer wanted to go on. */
    public long actual() {
      return actual;
    }
  }

  /**
   * The store has lost events of a log that it had acknowledged: it went back to an older state,
   * with a replica that was behind or a file that lacks its end. What the lost events led to
   * outside has happened nevertheless, so the log takes nothing more until an operator has decided.
   */
  public static final class LostEventsException extends JournalException {

    private static final long serialVersionUID = 1L;

    private final String persistenceId;
    private final long stored;
    private final long acknowledged;

    LostEventsException(String persistenceId, long stored, long acknowledged) {
      super(
          "the log of %s lacks event %d, which the store had acknowledged; it ends at %d"
              .formatted(persistenceId, acknowledged, stored),
          null,
          false);
      this.persistenceId = persistenceId;
      this.stored = stored;
      this.acknowledged = acknowledged;
    }

    public String persistenceId() {
      return persistenceId;
    }

    /** The sequence number of the last event that is there. */
    public long stored() {
      return stored;
    }

    /** That of the last event that was acknowledged, as far as is known. */
    public long acknowledged() {
      return acknowledged;
    }
  }
}
