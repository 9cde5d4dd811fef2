package dev.colony.agent.entity;

/** Work that is under way on behalf of an agent and can be told to stop. Thread-safe. */
final class Running {

  private boolean cancelled;
  private Runnable onCancel = () -> {};

  /** Work whose outcome nobody waits for any more; it may go on until it notices. */
  synchronized boolean cancelled() {
    return cancelled;
  }

  /**
   * What to do when it is cancelled, done at once if it is already; replaces what was set before.
   */
  void onCancel(Runnable action) {
    boolean now;
    synchronized (this) {
      onCancel = action;
      now = cancelled;
    }
    if (now) {
      action.run();
    }
  }

  void cancel() {
    Runnable action;
    synchronized (this) {
      cancelled = true;
      action = onCancel;
    }
    action.run();
  }
}
