package dev.colony.agent.journal;

import java.time.Duration;

/**
 * Is told how long the journal takes; called on the threads of its connections, so it must be
 * quick. Thread-safe.
 */
public interface JournalListener {

  /** Hears nothing. */
  JournalListener NONE = new JournalListener() {};

  /** What became of an append. */
  enum Outcome {
    STORED,
    /** Another writer has gone on with the log, or it is not where this one believed it to be. */
    FENCED,
    /** It is unknown whether it was stored. */
    FAILED
  }

  /**
   * Redis has answered an append, or will not.
   *
   * @param took from the call to the answer, with its sync to the disk and all repeats
   */
  default void appended(Duration took, Outcome outcome) {}
}
