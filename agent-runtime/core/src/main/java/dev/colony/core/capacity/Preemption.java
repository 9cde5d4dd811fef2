package dev.colony.core.capacity;

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
}
