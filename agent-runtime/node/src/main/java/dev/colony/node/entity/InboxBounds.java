package dev.colony.node.entity;

import java.time.Duration;

/**
 * The bounds of what a reader of the inbox has under way and remembers, for one bucket.
 *
 * @param batch under way at once, those of failing lanes not counted
 * @param perTenant of these, of one tenant
 * @param perAgent of these, of one agent's runs, and as many of its other messages
 * @param failing under way at once for agents whose last delivery failed; half of them, at least
 *     one, of one tenant
 * @param held ids that are remembered, at most, and one more for each agent; for one agent at most
 *     16 times {@code perAgent} of its runs, and as many of its other messages
 * @param busy how soon a busy agent is tried again: after a hint the shortest, which doubles while
 *     it stays busy, and without one the longest
 * @param retry the first and the longest pause after a failed delivery
 */
public record InboxBounds(
    int batch, int perTenant, int perAgent, int failing, int held, Pauses busy, Pauses retry) {

  /** A shortest and a longest pause. */
  public record Pauses(Duration shortest, Duration longest) {

    /**
     * Doubles from the shortest to the longest.
     *
     * @param attempt from 1
     */
    public Duration after(int attempt) {
      Duration grown = shortest.multipliedBy(1L << Math.min(attempt - 1, 20));
      return grown.compareTo(longest) < 0 ? grown : longest;
    }
  }
}
