package dev.colony.core.capacity;

import java.time.Duration;
import java.time.Instant;

/**
 * An agent that has a slot. Its effective priority stays what it was when it was given the slot:
 * what it has earned by waiting it does not lose by working, and gains nothing more.
 *
 * @param since when it was given the slot
 */
public record AdmittedAgent(SlotRequest request, Instant since) {

  double effective(Aging aging) {
    return aging.effective(request, since);
  }

  Duration length(Instant now) {
    return Duration.between(since, now);
  }
}
