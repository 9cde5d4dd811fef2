package dev.colony.blackboard.clock;

import java.time.Duration;

/**
 * Time that only passes and that no one can set: for waits and measurements within one process.
 * What is stored, and what several processes compare, goes by {@link ClusterClock}.
 */
@FunctionalInterface
public interface MonotonicClock {

  /** The process' own, {@link System#nanoTime}. */
  MonotonicClock SYSTEM = System::nanoTime;

  /** Nanoseconds since a point that is the same for all readings; may be negative. */
  long nanos();

  /** Begins to measure. */
  default Stopwatch stopwatch() {
    return new Stopwatch(this);
  }

  /** The moment that lies {@code wait} ahead. */
  default Deadline deadline(Duration wait) {
    return new Deadline(this, wait);
  }
}
