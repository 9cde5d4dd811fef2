package dev.colony.core.dispatch;

import dev.colony.blackboard.clock.MonotonicClock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Where an action waits while it is paused, and how long it has waited there. Thread-safe. */
final class PauseGate {

  private final MonotonicClock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed;
  private boolean opened;
  private int waiting;
  private long since;
  private long waitedNanos;

  PauseGate(MonotonicClock clock) {
    this.clock = clock;
  }

  /** A thread that comes waits. */
  void close() {
    set(true, opened);
  }

  /** Threads that wait go on. */
  void open() {
    set(false, opened);
  }

  /** Threads that wait go on, and no thread waits any more. */
  void openForGood() {
    set(false, true);
  }

  private void set(boolean nowClosed, boolean forGood) {
    lock.lock();
    try {
      closed = nowClosed && !forGood;
      opened = forGood;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits while the gate is closed. */
  void pass() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (waiting++ == 0) {
        since = clock.nanos();
      }
      try {
        while (closed) {
          changed.await();
        }
      } finally {
        if (--waiting == 0) {
          waitedNanos += clock.nanos() - since;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** How long it has been waited for so far, in nanoseconds; one who waits now included. */
  long waitedNanos() {
    lock.lock();
    try {
      return waitedNanos + (waiting > 0 ? clock.nanos() - since : 0);
    } finally {
      lock.unlock();
    }
  }

  /** What is left of a time that began at a moment, not counting what was waited here. */
  long leftNanos(long begunNanos, long allowedNanos) {
    return allowedNanos - (clock.nanos() - begunNanos - waitedNanos());
  }
}
