package dev.colony.image;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Something to put away when it is closed, or when the JVM ends before that: a command that is
 * interrupted unwinds no stack. What came last goes first. Thread-safe.
 */
final class AtExit {

  private static final Deque<AtExit> OPEN = new ConcurrentLinkedDeque<>();
  private static volatile boolean begun;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::putAllAway));
  }

  private final Runnable putAway;

  private AtExit(Runnable putAway) {
    this.putAway = putAway;
  }

  static AtExit run(Runnable putAway) {
    AtExit one = new AtExit(putAway);
    OPEN.push(one);
    return one;
  }

  /** Whether the JVM ends: what fails from here on fails because of that. */
  static boolean begun() {
    return begun;
  }

  private static void putAllAway() {
    begun = true;
    for (AtExit one = OPEN.poll(); one != null; one = OPEN.poll()) {
      one.putAway.run();
    }
  }

  void close() {
    if (OPEN.remove(this)) {
      putAway.run();
    }
  }
}
