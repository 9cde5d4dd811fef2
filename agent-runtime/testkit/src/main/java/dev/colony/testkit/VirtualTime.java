package dev.colony.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Time that passes only when the test advances it. Thread-safe. */
public final class VirtualTime implements InstantSource {

  /** When it begins. */
  public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private record Alarm(Instant at, Runnable action) {}

  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(Comparator.comparing(Alarm::at));
  private Instant now = BEGINNING;

  @Override
  public synchronized Instant instant() {
    return now;
  }

  /**
   * Lets time pass; what is due by then is done on the calling thread, in the order of its times.
   *
   * @throws IllegalArgumentException if it were to go backwards
   */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("time does not go backwards: " + by);
    }
    List<Alarm> due = new ArrayList<>();
    synchronized (this) {
      now = now.plus(by);
      while (!alarms.isEmpty() && !alarms.peek().at().isAfter(now)) {
        due.add(alarms.poll());
      }
    }
    due.forEach(alarm -> alarm.action().run());
  }

  /** Does something when so much time has passed; at once if that is none. */
  public void after(Duration time, Runnable action) {
    synchronized (this) {
      if (time.isPositive()) {
        alarms.add(new Alarm(now.plus(time), action));
        return;
      }
    }
    action.run();
  }
}
