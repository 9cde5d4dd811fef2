package dev.colony.inference.gateway;

import dev.colony.vcm.schedule.workingset.EvictionControl;

/**
 * What a gateway has told one replica's cache, and what that has cost, since the gateway began.
 *
 * @param control how it is told
 * @param touches that were answered
 * @param touchedTokens of the prompts of these
 * @param computedTokens of those that were not in the cache: what the touches cost the replica,
 *     beside a token of reply each
 * @param hints that were taken
 * @param leftOut orders that were not carried out, or failed
 * @param waiting orders that are still to be carried out
 */
public record CacheOrders(
    EvictionControl control,
    long touches,
    long touchedTokens,
    long computedTokens,
    long hints,
    long leftOut,
    int waiting) {

  /** What became of an order. */
  public enum Outcome {
    DONE,
    /** No prompt is known that has the blocks. */
    UNKNOWN,
    /** The replica is not taken to hold them any more. */
    ABSENT,
    /** The replica may not be called. */
    UNAVAILABLE,
    /** As many orders wait for the replica as may. */
    QUEUE_FULL,
    /** The replica did not answer as it should. */
    FAILED
  }
}
