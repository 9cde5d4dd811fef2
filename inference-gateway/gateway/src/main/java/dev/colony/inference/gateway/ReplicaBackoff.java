package dev.colony.inference.gateway;

import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait before a replica that failed is tried again: exponential with full jitter, as in
 * Brooker, "Exponential ReplicaBackoff And Jitter" (AWS, 2015), and never less than the server
 * asked for.
 *
 * @param base the longest wait after the first failure
 * @param max the longest wait of all that the server has not asked for
 */
record ReplicaBackoff(Duration base, Duration max) {

  private static final int MOST_DOUBLINGS = 30;

  /** After a failure. */
  static ReplicaBackoff usual(GatewaySettings settings) {
    return new ReplicaBackoff(settings.backoffBase(), settings.backoffMax());
  }

  /** After a replica has answered that it is overloaded. */
  static ReplicaBackoff overloaded(GatewaySettings settings) {
    return new ReplicaBackoff(settings.overloadBackoffBase(), settings.overloadBackoffMax());
  }

  /**
   * @param failures at least 1
   * @param random from 0 to 1
   */
  Duration delay(int failures, Optional<Duration> asked, double random) {
    long grown = base.toNanos() << Math.min(failures - 1, MOST_DOUBLINGS);
    long bound = grown <= 0 ? max.toNanos() : grown;
    long capped = Math.min(bound, max.toNanos());
    Duration jittered = Duration.ofNanos((long) (capped * random));
    return asked.filter(a -> a.compareTo(jittered) > 0).orElse(jittered);
  }
}
