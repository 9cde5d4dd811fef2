package dev.colony.library.memory;

import java.util.Objects;

/**
 * Which memories come to mind.
 *
 * @param by how they are chosen
 * @param about what they are to be relevant to; empty for nothing in particular
 * @param window how many at most, 1 to 1000
 */
public record Recall(By by, String about, int window) {

  /** How memories are chosen. */
  public enum By {
    /** The newest. */
    EPISODE,
    /** The most salient: by recency, importance and relevance. */
    SALIENCE
  }

  public Recall {
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(about, "about");
    if (window < 1 || window > 1000) {
      throw new IllegalArgumentException("a recall's window is 1 to 1000, not " + window);
    }
  }

  /** The newest. */
  public static Recall episodic(int window) {
    return new Recall(By.EPISODE, "", window);
  }

  /** The most salient to something. */
  public static Recall salient(String about, int window) {
    return new Recall(By.SALIENCE, about, window);
  }
}
