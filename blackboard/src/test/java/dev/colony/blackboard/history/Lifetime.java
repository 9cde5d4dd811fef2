package dev.colony.blackboard.history;

import dev.colony.blackboard.Write;
import java.time.Duration;

/** Which entries expire: those whose keys begin so, always; the others never. */
final class Lifetime {

  static final Duration BRIEF = Duration.ofMillis(3);

  private Lifetime() {}

  static boolean brief(String key) {
    return key.startsWith("brief");
  }

  static Write of(Write write) {
    return brief(write.key()) ? write.ttl(BRIEF) : write;
  }
}
