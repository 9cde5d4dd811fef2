package dev.colony.journal;

import java.time.Duration;
import java.time.Instant;

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
    /** The store has lost events of the log that it had acknowledged. */
    LOST,
    /** It is unknown whether it was stored. */
    FAILED
  }

  /**
   * Redis has answered an append, or will not.
   *
   * @param took from the call to the answer, with its sync to the disk and all repeats
   */
  default void appended(Duration took, Outcome outcome) {}

  /**
   * The store has gone back to an older state, as far as this node's ticks tell.
   *
   * @param since when the last tick was stored that is there; what was acknowledged since may be
   *     gone
   */
  default void rolledBack(Instant since) {}

  /**
   * The store has lost events of a log that it had acknowledged; told once for each log and node.
   *
   * @param stored the sequence number of the last event that is there
   * @param acknowledged that of the last that was acknowledged, as far as is known
   */
  default void lost(String persistenceId, long stored, long acknowledged) {}
}
