package dev.colony.core.capacity;

import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * When an agent at work gives way to one that waits. Both bounds keep two agents from pushing each
 * other out again and again: who was pushed out comes back only when it has waited for the margin
 * more, and then stays for its least turn.
 *
 * @param margin by how many points the waiting one's effective priority must be higher, 1 or more
 * @param patience how long it must have waited
 * @param leastTurn how long the other one must have been at work
 */
public record Preemption(Aging aging, int margin, Duration patience, Duration leastTurn) {

  public Preemption {
    if (margin < 1 || patience.isNegative() || leastTurn.isNegative()) {
      throw new IllegalArgumentException(
          "margin is %d, patience %s, least turn %s; they must be 1 or more, not negative"
              .formatted(margin, patience, leastTurn));
    }
  }

  /** The one that gives way first of those that do: the one of the lowest effective priority. */
  public Optional<AdmittedAgent> givesWay(
      SlotRequest request, Collection<AdmittedAgent> atWork, Instant now) {
    if (Duration.between(request.since(), now).compareTo(patience) < 0) {
      return Optional.empty();
    }
    double least = aging.effective(request, now) - margin;
    return lowest(atWork, now).filter(one -> one.effective(aging) < least);
  }

  /** The one of the lowest effective priority that has had its turn and may be suspended. */
  public Optional<AdmittedAgent> lowest(Collection<AdmittedAgent> atWork, Instant now) {
    return atWork.stream()
        .filter(one -> one.request().suspendable() && one.length(now).compareTo(leastTurn) >= 0)
        .min(
            Comparator.<AdmittedAgent>comparingDouble(one -> one.effective(aging))
                .thenComparing(one -> one.request().agent().persistenceId()));
  }

  /**
   * How waiting makes up for priority: an agent's effective priority is its own plus so many points
   * for each minute that it has waited.
   *
   * <p>All who wait age at the same speed, so that their order never changes: a point of priority
   * is a head start of fixed length. An agent is overtaken by later ones of higher priority for as
   * long as their head start is, and never after that.
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
}
