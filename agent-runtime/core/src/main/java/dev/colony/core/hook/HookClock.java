package dev.colony.core.hook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that watches the deadlines of the hooks under way.
 *
 * <p>A hook costs an entry in a queue; nearly all have ended when the clock looks at them. What a
 * caller touches is lock-free, since callers are agents' code, and such code may be at the end of
 * its stack: an overflow in the middle of a timer's heap or of a held lock would break the timer
 * for every other agent, as was seen with a {@link
 * java.util.concurrent.ScheduledThreadPoolExecutor}.
 */
final class HookClock {

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
