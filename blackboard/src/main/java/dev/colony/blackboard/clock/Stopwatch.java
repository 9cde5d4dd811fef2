package dev.colony.blackboard.clock;

import java.time.Duration;

/** How long something has lasted by a {@link MonotonicClock}. Immutable. */
public final class Stopwatch {

  private final MonotonicClock clock;
  private final long began;

  Stopwatch(MonotonicClock clock) {
    this.clock = clock;
    this.began = clock.nanos();
  }

  /** One that begins at this moment, by the process' own clock. */
  public static Stopwatch start() {
    return MonotonicClock.SYSTEM.stopwatch();
  }

  public Duration elapsed() {
    return Duration.ofNanos(elapsedNanos());
  }

  /** The same as {@link #elapsed} without an object. */
  public long elapsedNanos() {
    return clock.nanos() - began;
  }

  /** Whether more than {@code limit} has passed. */
  public boolean isOver(Duration limit) {
    return elapsedNanos() > limit.toNanos();
  }
}
