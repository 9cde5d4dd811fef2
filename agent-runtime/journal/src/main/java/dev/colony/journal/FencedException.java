package dev.colony.journal;

/**
 * An append did not continue where the log ends, so its writer is not the one whose turn it is:
 * another incarnation has written since, or Redis lost what this one wrote. Nothing was stored.
 * Never retry: a writer that gets this stops, or recovers and claims the log anew.
 */
public final class FencedException extends JournalException {

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

  /** The log that refused. */
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
