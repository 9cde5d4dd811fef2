package dev.colony.blackboard;

import java.time.Duration;

/**
 * How often and how fast a transaction that met a conflict is tried again. The pause before a retry
 * is random, up to a bound that doubles from the least to the greatest ("full jitter", Brooker,
 * "Exponential Backoff and Jitter", AWS 2015).
 *
 * @param attempts how many times its body is run at most, at least 1
 * @param pauseMin the bound of the first pause, more than 0
 * @param pauseMax the greatest bound, at least {@code pauseMin}
 */
public record RetryPolicy(int attempts, Duration pauseMin, Duration pauseMax) {

  /** For transactions that name no other. */
  public static final RetryPolicy USUAL =
      new RetryPolicy(32, Duration.ofMillis(2), Duration.ofMillis(500));

  /** Once, and no more. */
  public static final RetryPolicy NEVER =
      new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1));

  public RetryPolicy {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1, but is " + attempts);
    }
    if (pauseMin.toMillis() < 1 || pauseMax.compareTo(pauseMin) < 0) {
      throw new IllegalArgumentException(
          "pauses must be at least 1 ms, the greatest not below the least, but are %s and %s"
              .formatted(pauseMin, pauseMax));
    }
  }
}
