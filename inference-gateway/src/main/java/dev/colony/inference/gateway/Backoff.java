package dev.colony.inference.gateway;

import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait before a replica that failed is tried again: exponential with full jitter, as in
 * Brooker, "Exponential Backoff And Jitter" (AWS, 2015), and never less than the server asked for.
 */
final class Backoff {

  private static final int MOST_DOUBLINGS = 30;

  private Backoff() {}

  /**
   * @param failures at least 1
   * @param random from 0 to 1
   */
  static Duration delay(
      GatewaySettings settings, int failures, Optional<Duration> asked, double random) {
    long base = settings.backoffBase().toNanos() << Math.min(failures - 1, MOST_DOUBLINGS);
    long bound = base <= 0 ? settings.backoffMax().toNanos() : base;
    long capped = Math.min(bound, settings.backoffMax().toNanos());
    Duration jittered = Duration.ofNanos((long) (capped * random));
    return asked.filter(a -> a.compareTo(jittered) > 0).orElse(jittered);
  }
}
