package dev.colony.core.capacity;

/**
 * What a node has for its agents.
 *
 * @param agents that may be at work at once, 1 or more
 * @param heapPercent of the largest possible heap that may be in use after a garbage collection
 *     while further agents begin to work, 1 to 100
 * @param kvTokens which the agents at work may expect to hold in the model server, 1 or more;
 *     {@link Long#MAX_VALUE} where that is not bounded
 */
public record NodeCapacity(int agents, int heapPercent, long kvTokens) {

  public NodeCapacity {
    check("agents", agents, 1, Integer.MAX_VALUE);
    check("heapPercent", heapPercent, 1, 100);
    check("kvTokens", kvTokens, 1, Long.MAX_VALUE);
  }

  /** What an agent needs of the tokens; one that asks for more than there are gets all. */
  long tokens(SlotRequest request) {
    return Math.min(request.tokens(), kvTokens);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + ", but must be " + least + " to " + most);
    }
  }
}
