package dev.colony.agent;

/**
 * What an agent is expected to need.
 *
 * @param priority 0 to 100; where room is short, a lower one gives way
 * @param expectedTokens of one run's model calls; 0 if unknown
 * @param concurrency how many model calls and actions it may have under way at once, 1 to 1000
 */
public record AgentResources(int priority, long expectedTokens, int concurrency) {

  public static final AgentResources DEFAULT = new AgentResources(50, 0, 1);

  public AgentResources {
    check("priority", priority, 0, 100);
    check("expectedTokens", expectedTokens, 0, Long.MAX_VALUE);
    check("concurrency", concurrency, 1, 1000);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + ", but must be " + least + " to " + most);
    }
  }
}
