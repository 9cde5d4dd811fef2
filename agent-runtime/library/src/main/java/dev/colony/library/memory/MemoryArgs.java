package dev.colony.library.memory;

import dev.colony.agent.author.Range;
import java.util.Objects;

/**
 * How an agent remembers.
 *
 * @param maxEntries how many memories it has; with one more, the least salient go, a twentieth at
 *     once. Each recall reads all of them
 * @param maxTextChars of one memory; a longer text is cut
 * @param window how many memories a recall gives that asks for no number
 * @param remembersActions whether what the agent does is remembered by itself
 * @param salience what is recalled first and forgotten last
 */
public record MemoryArgs(
    @Range(min = 1, max = 100_000) int maxEntries,
    @Range(min = 16, max = 100_000) int maxTextChars,
    @Range(min = 1, max = 1000) int window,
    boolean remembersActions,
    Salience salience) {

  /** A thousand memories of 500 characters, eight at a time, all actions among them. */
  public static final MemoryArgs DEFAULT = new MemoryArgs(1000, 500, 8, true, Salience.DEFAULT);

  public MemoryArgs {
    check("maxEntries", maxEntries, 1, 100_000);
    check("maxTextChars", maxTextChars, 16, 100_000);
    check("window", window, 1, 1000);
    Objects.requireNonNull(salience, "salience");
  }

  public MemoryArgs maxEntries(int most) {
    return new MemoryArgs(most, maxTextChars, window, remembersActions, salience);
  }

  public MemoryArgs maxTextChars(int most) {
    return new MemoryArgs(maxEntries, most, window, remembersActions, salience);
  }

  public MemoryArgs window(int memories) {
    return new MemoryArgs(maxEntries, maxTextChars, memories, remembersActions, salience);
  }

  public MemoryArgs remembersActions(boolean whether) {
    return new MemoryArgs(maxEntries, maxTextChars, window, whether, salience);
  }

  public MemoryArgs salience(Salience other) {
    return new MemoryArgs(maxEntries, maxTextChars, window, remembersActions, other);
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is " + value + ", but must be " + least + " to " + most);
    }
  }
}
