package dev.colony.library.hook;

import dev.colony.blackboard.clock.MonotonicClock;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * A token bucket in one number: the time at which it will be full again. Those who wait are served
 * in the order in which they came. Thread-safe. Source: the generic cell rate algorithm of ITU-T
 * Recommendation I.371.
 */
final class RateGate {

  private final long intervalNanos;
  private final long burstNanos;
  private final MonotonicClock clock;
  private long fullAt;

  /**
   * @param permits that come back within {@code per}
   * @param burst permits of a full bucket, at least 1
   */
  RateGate(int permits, Duration per, int burst, MonotonicClock clock) {
    this.intervalNanos = Math.max(1, per.toNanos() / permits);
    this.burstNanos = intervalNanos * burst;
    this.clock = clock;
    this.fullAt = clock.nanos();
  }

  /**
   * Takes a permit, now or for later.
   *
   * @return how many nanoseconds to wait before it may be used; empty if that is longer than the
   *     longest wait, and nothing was taken
   */
  synchronized OptionalLong take(Duration longest) {
    long now = clock.nanos();
    long next = (fullAt - now > 0 ? fullAt : now) + intervalNanos;
    long wait = Math.max(0, next - burstNanos - now);
    if (wait > longest.toNanos()) {
      return OptionalLong.empty();
    }
    fullAt = next;
    return OptionalLong.of(wait);
  }

  /** Puts a permit back that was not used. */
  synchronized void putBack() {
    fullAt -= intervalNanos;
  }

  /** How long until it is full; 0 if it is. */
  synchronized Duration untilFull() {
    return Duration.ofNanos(Math.max(0, fullAt - clock.nanos()));
  }

  /** Makes it full after a time, at most the time in which an empty one fills. */
  synchronized void fullAfter(Duration time) {
    fullAt = clock.nanos() + Math.clamp(time.toNanos(), 0, burstNanos);
  }
}
