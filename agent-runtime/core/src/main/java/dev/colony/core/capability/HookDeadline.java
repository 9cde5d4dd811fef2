package dev.colony.core.capability;

import dev.colony.blackboard.clock.Stopwatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Bounds a hook's own time by interrupting its thread. The hook stays on the caller's thread, so
 * that it sees the caller's thread-bound context; the price is that code that neither blocks nor
 * looks at the interruption ends when it ends, and has failed then. The clock stands still while
 * the hook proceeds with the call.
 */
final class HookDeadline {

  private final Thread thread = Thread.currentThread();
  private long leftNanos;
  private Stopwatch started;
  private boolean running;
  private boolean watched;
  private boolean expired;

  HookDeadline(Duration own) {
    leftNanos = own.toNanos();
  }

  void start() {
    boolean watch;
    synchronized (this) {
      running = true;
      started = Stopwatch.start();
      watch = !watched;
      watched = true;
    }
    if (watch) {
      HookClock.watch(this);
    }
  }

  /**
   * Stops the clock, from the thread that started it. It takes less of the stack than {@link
   * #start}: a hook that overflows the stack is not interrupted for it later.
   *
   * @return whether the time was over
   */
  synchronized boolean stop() {
    if (running) {
      running = false;
      leftNanos -= started.elapsedNanos();
      if (expired) {
        // The interruption was for the hook, not for what its caller does next.
        Thread.interrupted();
      }
    }
    return expired;
  }

  /** Whether the current thread is the one that the time is counted on. */
  boolean ofThisThread() {
    return Thread.currentThread() == thread;
  }

  /**
   * Interrupts the hook if its time is over; called by the clock.
   *
   * @return whether there is something left to watch
   */
  synchronized boolean tick() {
    if (!running) {
      watched = false;
    } else if (started.elapsedNanos() >= leftNanos) {
      expired = true;
      thread.interrupt();
      watched = false;
    }
    return watched;
  }

  /**
   * One thread that watches the deadlines of the hooks under way.
   *
   * <p>A hook costs an entry in a queue; nearly all have ended when the clock looks at them. What a
   * caller touches is lock-free, since callers are agents' code, and such code may be at the end of
   * its stack: an overflow in the middle of a timer's heap or of a held lock would break the timer
   * for every other agent, as was seen with a {@link
   * java.util.concurrent.ScheduledThreadPoolExecutor}.
   */
  static final class HookClock {

    /** How late a hook may be interrupted. */
    private static final Duration TICK = Duration.ofMillis(5);

    private static final Queue<HookDeadline> ARRIVED = new ConcurrentLinkedQueue<>();
    private static final Thread THREAD =
        Thread.ofPlatform().daemon().name("hook-clock").start(HookClock::run);

    private static volatile boolean idle;

    private HookClock() {}

    static void watch(HookDeadline deadline) {
      ARRIVED.add(deadline);
      if (idle) {
        LockSupport.unpark(THREAD);
      }
    }

    private static void run() {
      List<HookDeadline> watched = new ArrayList<>();
      while (true) {
        for (HookDeadline one = ARRIVED.poll(); one != null; one = ARRIVED.poll()) {
          watched.add(one);
        }
        watched.removeIf(deadline -> !deadline.tick());
        if (watched.isEmpty()) {
          idle = true;
          if (ARRIVED.isEmpty()) {
            LockSupport.park();
          }
          idle = false;
        } else {
          LockSupport.parkNanos(TICK.toNanos());
        }
      }
    }
  }
}
