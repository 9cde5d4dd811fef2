package dev.colony.blackboard.fault;

import java.util.concurrent.ThreadLocalRandom;

/**
 * From which a run's faults and calls are drawn. It is printed, and {@code -Dcolony.faults.seed}
 * sets it: the same calls and the same faults then, though threads take their turns as they like.
 */
final class Seed {

  private Seed() {}

  static long next(String run) {
    long seed = Long.getLong("colony.faults.seed", ThreadLocalRandom.current().nextLong());
    System.out.println(run + ": -Dcolony.faults.seed=" + seed);
    return seed;
  }
}
