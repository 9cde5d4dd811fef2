package dev.colony.bench.resume;

import java.util.concurrent.locks.LockSupport;

/**
 * Does something at an even rate. Each time counts from when it was due, so that a stall is seen by
 * all that it delays (Tene, "How NOT to Measure Latency": coordinated omission).
 */
record EvenRate(int perSecond) {

  /** Something that was due at an instant, as {@link System#nanoTime}. */
  @FunctionalInterface
  interface Task {
    void run(int number, long dueNanos);
  }

  /** Does it so many times, on this thread. */
  void run(int times, Task task) {
    long begun = System.nanoTime();
    for (int number = 0; number < times; number++) {
      long due = begun + (long) (number * 1e9 / perSecond);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      task.run(number, due);
    }
  }
}
