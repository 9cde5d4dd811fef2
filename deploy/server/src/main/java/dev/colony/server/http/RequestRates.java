package dev.colony.server.http;

import dev.colony.server.access.Principal;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How often each key may ask; all who have none share one allowance, so that guessing keys is slow
 * and holds up no caller that has one. Thread-safe. A token bucket per key.
 */
final class RequestRates {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final HttpSettings.Rates settings;
  private final Bucket withoutKey;
  private final Map<String, Bucket> byKey = new ConcurrentHashMap<>();

  RequestRates(HttpSettings.Rates settings) {
    this.settings = settings;
    this.withoutKey = bucket(settings.withoutKey(), settings.withoutKey());
  }

  /**
   * Counts a request.
   *
   * @throws Refusal if it comes too early
   */
  void count(Principal principal) {
    take(
        byKey.computeIfAbsent(
            principal.name(), name -> bucket(settings.burst(), settings.perSecond())),
        "key " + principal.name());
  }

  /** Counts one without a valid key, in the same way. */
  void countWithoutKey() {
    take(withoutKey, "all callers without a valid key");
  }

  private static void take(Bucket bucket, String who) {
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
    if (!probe.isConsumed()) {
      long seconds = Duration.ofNanos(probe.getNanosToWaitForRefill()).toSeconds() + 1;
      throw Refusal.of(
          Code.TOO_MANY_REQUESTS,
          who + " asks too often: wait " + seconds + " s",
          Map.of("Retry-After", Long.toString(seconds)));
    }
  }

  private static Bucket bucket(long capacity, long perSecond) {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(capacity).refillGreedy(perSecond, SECOND))
        .build();
  }
}
