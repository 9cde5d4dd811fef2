package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Latencies, exact to three digits; longer ones than ten minutes count as ten minutes. Thread-safe.
 */
public final class Latencies {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 3;

  private final ConcurrentHistogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

  public void add(long latencyNanos) {
    nanos.recordValue(Math.clamp(latencyNanos, 1, LONGEST_NANOS));
  }

  /** Adds one that began at an instant, as {@link System#nanoTime}, and ends now. */
  public void since(long beganNanos) {
    add(System.nanoTime() - beganNanos);
  }

  public long count() {
    return nanos.getTotalCount();
  }

  /** What so many of a hundred do not exceed; 0 where there are none. */
  public double millis(double percent) {
    return nanos.getValueAtPercentile(percent) / 1e6;
  }

  public double meanMillis() {
    return nanos.getMean() / 1e6;
  }

  /** Adds the median and the 99th percentile, with names that begin with a prefix. */
  public ObjectNode addTo(ObjectNode json, String prefix) {
    return json.put(prefix + "P50Millis", Report.rounded(millis(50)))
        .put(prefix + "P99Millis", Report.rounded(millis(99)));
  }

  /** Adds the median, the 99th percentile and the longest. */
  public ObjectNode addTo(ObjectNode json) {
    return json.put("p50Millis", Report.rounded(millis(50)))
        .put("p99Millis", Report.rounded(millis(99)))
        .put("maxMillis", Report.rounded(millis(100)));
  }
}
