package dev.colony.bench.resume;

/**
 * What is to be resumed.
 *
 * @param agents in each of the two rounds
 * @param steps that each has behind it, an action each
 * @param perSecond agents that are resumed in a second
 */
public record ResumeLoad(int agents, int steps, int perSecond) {

  private static final int MOST_WARM_UP = 1_000;

  /** Agents that are resumed before each kind of round and do not count. */
  int warmUp() {
    return Math.min(MOST_WARM_UP, agents);
  }
}
