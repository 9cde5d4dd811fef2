package dev.colony.core.capacity;

import java.time.Duration;
import java.time.Instant;

/**
 * How waiting makes up for priority: an agent's effective priority is its own plus so many points
 * for each minute that it has waited.
 *
 * <p>All who wait age at the same speed, so that their order never changes: a point of priority is
 * a head start of fixed length. An agent is overtaken by later ones of higher priority for as long
 * as their head start is, and never after that.
 *
 * @param pointsPerMinute 1 to 6000
 */
public record Aging(int pointsPerMinute) {

  /** The quickest: a second of waiting makes up for all priorities. */
  static final int MOST = 6000;

  private static final double MILLIS_PER_MINUTE = 60_000;

  public Aging {
    if (pointsPerMinute < 1 || pointsPerMinute > MOST) {
      throw new IllegalArgumentException(
          "aging is " + pointsPerMinute + " points a minute, but must be 1 to " + MOST);
    }
  }

  /** Orders those who wait, the lowest first: milliseconds, comparable with each other only. */
  public long rank(SlotRequest request) {
    return request.since().toEpochMilli() - headStart(request.priority()).toMillis();
  }

  /** How much later one of this priority may come than one of priority 0 and be before it. */
  public Duration headStart(int priority) {
    return Duration.ofMillis(Math.round(priority * MILLIS_PER_MINUTE / pointsPerMinute));
  }

  /** The effective priority of one that has waited until then; 0 or more, without bound. */
  public double effective(SlotRequest request, Instant until) {
    double waited = Math.max(0, Duration.between(request.since(), until).toMillis());
    return request.priority() + waited * pointsPerMinute / MILLIS_PER_MINUTE;
  }
}
