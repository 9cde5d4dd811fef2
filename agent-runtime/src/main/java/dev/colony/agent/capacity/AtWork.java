package dev.colony.agent.capacity;

import java.time.Duration;
import java.time.Instant;

/**
 * An agent that has a place. Its effective priority stays what it was when it was given the place:
 * what it has earned by waiting it does not lose by working, and gains nothing more.
 *
 * @param since when it was given the place
 */
public record AtWork(PlaceRequest request, Instant since) {

  double effective(Aging aging) {
    return aging.effective(request, since);
  }

  Duration length(Instant now) {
    return Duration.between(since, now);
  }
}
