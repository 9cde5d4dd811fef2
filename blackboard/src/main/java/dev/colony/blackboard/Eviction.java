package dev.colony.blackboard;

/**
 * How many entries a scope may have, and which go when a write makes one too many; each that goes
 * has its event. What was written in the same operation never goes, even where that alone is more.
 *
 * @param order which goes first
 * @param maxEntries at least 1
 */
public record Eviction(Order order, int maxEntries) {

  /** Which entry goes first. */
  public enum Order {
    /** The one not read or written for the longest time. */
    LEAST_RECENTLY_USED,
    /** The one read and written the fewest times. */
    LEAST_FREQUENTLY_USED,
    /** The one not written for the longest time. */
    OLDEST
  }

  public Eviction {
    if (maxEntries < 1) {
      throw new IllegalArgumentException("maxEntries must be at least 1, but is " + maxEntries);
    }
  }
}
