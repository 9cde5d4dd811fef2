package dev.colony.blackboard.clock;

import java.time.Duration;
import java.time.Instant;

/**
 * Cluster time as one process has it: what it was at an instant of the process' monotonic clock,
 * and how much faster or slower than that clock it goes for a while.
 *
 * @param nanos the instant, as {@link System#nanoTime}
 * @param cluster cluster time then, in nanoseconds since 1970
 * @param rate what cluster time gains on the monotonic clock, from -{@link #MOST_RATE} to {@link
 *     #MOST_RATE}
 * @param lasts for how many nanoseconds it gains that; then it goes as the monotonic clock does
 */
record ClusterTime(long nanos, long cluster, double rate, long lasts) {

  /** What cluster time gains or loses at most: 5 %. */
  static final double MOST_RATE = 0.05;

  /** In what time a small difference would be made good. */
  private static final double CORRECTED_WITHIN_NANOS = 60e9;

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** As it was answered first. */
  static ClusterTime first(long nanos, TimeStore.Reading reading, Duration lasts) {
    return corrected(nanos, nanos(reading.cluster()), reading, lasts);
  }

  /**
   * Cluster time from an answer on: never less than it was, never behind what others have said.
   *
   * @param now when the answer came, as {@link System#nanoTime}
   * @param lasts for how long what the answer says of the store's clock is good
   */
  ClusterTime agreed(long now, TimeStore.Reading reading, Duration lasts) {
    return corrected(now, Math.max(at(now), nanos(reading.cluster())), reading, lasts);
  }

  private static ClusterTime corrected(
      long now, long cluster, TimeStore.Reading reading, Duration lasts) {
    double ahead = (double) Duration.between(reading.cluster(), reading.store()).toMillis() * 1e6;
    double rate = Math.clamp(ahead / CORRECTED_WITHIN_NANOS, -MOST_RATE, MOST_RATE);
    return new ClusterTime(now, cluster, rate, lasts.toNanos());
  }

  /** In nanoseconds since 1970. */
  long at(long now) {
    long elapsed = Math.max(0, now - nanos);
    return cluster + elapsed + (long) (rate * Math.min(elapsed, lasts));
  }

  static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND), instant.getNano());
  }

  static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }
}
