package dev.colony.journal;

/**
 * A log lacks what it must hold: a sequence number between its first and its last is missing, its
 * parts contradict one another, or a snapshot speaks of events it never had. Redis has lost data;
 * the persistent actor must not go on over it.
 */
public final class DamagedLogException extends JournalException {

  private static final long serialVersionUID = 1L;

  private final String persistenceId;

  DamagedLogException(String persistenceId, String damage) {
    super("log of " + persistenceId + " is damaged: " + damage, null, false);
    this.persistenceId = persistenceId;
  }

  /** The log that is damaged. */
  public String persistenceId() {
    return persistenceId;
  }
}
