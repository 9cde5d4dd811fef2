package dev.colony.blackboard;

import java.time.Instant;
import java.util.Optional;

/**
 * How much is in all buckets of the inbox.
 *
 * @param messages that are not acknowledged
 * @param oldest when the oldest of them was put in, by the backend's clock; empty where there is
 *     none
 * @param deadLetters that are kept
 */
public record InboxStatistics(long messages, Optional<Instant> oldest, long deadLetters) {

  /** Both together. */
  public InboxStatistics plus(InboxStatistics other) {
    Optional<Instant> older =
        oldest.isPresent() && other.oldest.isPresent()
            ? oldest.map(one -> one.isBefore(other.oldest.get()) ? one : other.oldest.get())
            : oldest.or(other::oldest);
    return new InboxStatistics(messages + other.messages, older, deadLetters + other.deadLetters);
  }
}
