package dev.colony.blackboard.server;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;

/** Waiting for another process, which nothing but looking again can tell us about. */
final class Pause {

  private Pause() {}

  static void millis(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          Reason.INTERRUPTED, "interrupted while waiting for Redis", interrupted);
    }
  }
}
