package dev.colony.library.context;

/**
 * The arguments of a layer that shows the newest lines.
 *
 * @param lines how many at most, 1 to 10,000; no more than {@code colony.agent.context.window} are
 *     there to be shown
 */
public record Window(int lines) {

  public Window {
    if (lines < 1 || lines > 10_000) {
      throw new IllegalArgumentException("lines is " + lines + ", but must be 1 to 10000");
    }
  }
}
