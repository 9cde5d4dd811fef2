package dev.colony.blackboard.board;

import dev.colony.blackboard.key.KeyGlob;
import java.util.Collection;

/** The limits on what an agent may have itself woken for: every write is compared with all. */
final class WakePatterns {

  private static final int MAX_PATTERNS = 16;
  private static final int MAX_STARS = 4;

  private WakePatterns() {}

  /**
   * @throws IllegalArgumentException naming what is too much
   */
  static void check(Collection<KeyGlob> keyGlobs) {
    if (keyGlobs.size() > MAX_PATTERNS) {
      throw new IllegalArgumentException(
          "an agent is woken for at most %d patterns in a scope, but these are %d"
              .formatted(MAX_PATTERNS, keyGlobs.size()));
    }
    for (KeyGlob glob : keyGlobs) {
      if (glob.pattern().chars().filter(c -> c == '*').count() > MAX_STARS) {
        throw new IllegalArgumentException(
            "a pattern to be woken for has at most %d stars, but this has more: %s"
                .formatted(MAX_STARS, glob.pattern()));
      }
    }
  }
}
