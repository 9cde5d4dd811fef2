package dev.colony.bench;

import dev.colony.blackboard.server.Fsync;

/**
 * What agents are to do.
 *
 * @param payloadBytes of each model reply
 * @param fsync when Redis brings an append to the disk
 * @param rounds how often it is measured
 * @param warmUpRounds how often it is run at most before, until the cost of a step has settled
 */
public record StepsLoad(
    int agents, int steps, int payloadBytes, Fsync fsync, int rounds, int warmUpRounds) {

  /** The same with other steps. */
  StepsLoad steps(int other) {
    return new StepsLoad(agents, other, payloadBytes, fsync, rounds, warmUpRounds);
  }
}
