package dev.colony.blackboard.clock;

import java.time.Duration;

/**
 * Until when a wait within this process may last, by a {@link MonotonicClock}. Immutable. Two are
 * compared only if they are of one clock.
 */
public final class Deadline {

  private final MonotonicClock clock;
  private final long at;

  Deadline(MonotonicClock clock, Duration wait) {
    this.clock = clock;
    this.at = clock.nanos() + wait.toNanos();
  }

  /** The moment that lies {@code wait} ahead, by the process' own clock. */
  public static Deadline in(Duration wait) {
    return MonotonicClock.SYSTEM.deadline(wait);
  }

  public boolean passed() {
    return at - clock.nanos() <= 0;
  }

  /** Whether it has not passed yet at the end of a pause. */
  public boolean allows(Duration pause) {
    return at - clock.nanos() - pause.toNanos() > 0;
  }

  /** What is left; zero when it has passed. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, at - clock.nanos()));
  }

  public boolean isBefore(Deadline other) {
    return at - other.at < 0;
  }
}
