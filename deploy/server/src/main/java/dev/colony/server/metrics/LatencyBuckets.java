package dev.colony.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** How durations are kept: counted in buckets that are the same on all nodes, so that they add. */
final class LatencyBuckets {

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofSeconds(60)
  };

  private LatencyBuckets() {}

  /**
   * A timer, made if there is none.
   *
   * @param labels names and values in turn
   */
  static Timer of(MeterRegistry registry, String name, String... labels) {
    return Timer.builder(name).tags(labels).serviceLevelObjectives(BUCKETS).register(registry);
  }
}
