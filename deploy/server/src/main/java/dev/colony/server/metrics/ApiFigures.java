package dev.colony.server.metrics;

import dev.colony.server.http.ApiListener;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests to the HTTP API and what is open there. A series is there from when it is first counted,
 * since most operations are rare and each has the buckets of a histogram. Thread-safe.
 */
final class ApiFigures implements ApiListener {

  /** In place of an operation, of requests that were refused before it was known which. */
  private static final String NONE = "none";

  private final MeterRegistry registry;
  private final Map<Kind, Timer> requests = new ConcurrentHashMap<>();
  private final AtomicInteger atWork = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger streams = new AtomicInteger();
  private final Counter refused;

  /**
   * Requests that are counted together.
   *
   * @param status its class, as {@code 2xx}
   */
  private record Kind(String operation, String status) {}

  ApiFigures(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("colony.http.at.work", atWork, AtomicInteger::get).register(registry);
    Gauge.builder("colony.http.connections", connections, AtomicInteger::get).register(registry);
    Gauge.builder("colony.http.streams", streams, AtomicInteger::get).register(registry);
    refused = registry.counter("colony.http.connections.refused");
  }

  @Override
  public void answered(Optional<String> operation, int status, Duration took) {
    requests
        .computeIfAbsent(new Kind(operation.orElse(NONE), status / 100 + "xx"), this::timer)
        .record(took);
  }

  private Timer timer(Kind kind) {
    return LatencyBuckets.of(
        registry, "colony.http.requests", "operation", kind.operation(), "status", kind.status());
  }

  @Override
  public void problem(String code) {
    registry.counter("colony.http.problems", "code", code).increment();
  }

  @Override
  public void workBegun() {
    atWork.incrementAndGet();
  }

  @Override
  public void workEnded() {
    atWork.decrementAndGet();
  }

  @Override
  public void connectionRefused() {
    refused.increment();
  }

  @Override
  public void connected() {
    connections.incrementAndGet();
  }

  @Override
  public void disconnected() {
    connections.decrementAndGet();
  }

  @Override
  public void streamOpened() {
    streams.incrementAndGet();
  }

  @Override
  public void streamClosed() {
    streams.decrementAndGet();
  }
}
