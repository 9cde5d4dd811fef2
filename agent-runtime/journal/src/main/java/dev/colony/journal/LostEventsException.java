package dev.colony.journal;

/**
 * The store has lost events of a log that it had acknowledged: it went back to an older state, with
 * a replica that was behind or a file that lacks its end. What the lost events led to outside has
 * happened nevertheless, so the log takes nothing more until an operator has decided.
 */
public final class LostEventsException extends JournalException {

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

  /** The log that lacks events. */
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
