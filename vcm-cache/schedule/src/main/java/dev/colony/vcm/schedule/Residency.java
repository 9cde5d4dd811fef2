package dev.colony.vcm.schedule;

/**
 * Which blocks of prompts a replica's prefix cache holds. A block is named by the hash of its
 * tokens and all before it, so that equal names mean equal prefixes.
 */
@FunctionalInterface
public interface Residency {

  /** Whether a block is held; what stands before it may be gone. */
  boolean holds(long block);

  /** Whether anything is known of a block: that it is held, or that it is not. */
  default boolean knows(long block) {
    return holds(block);
  }

  /** How many blocks from the start of the chain are held, up to the first that is not. */
  default int prefix(long[] chain) {
    int held = 0;
    while (held < chain.length && holds(chain[held])) {
      held++;
    }
    return held;
  }
}
