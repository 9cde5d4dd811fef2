package dev.colony.bench.resume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Delays, exact to three digits; longer ones than ten minutes count as ten minutes. Thread-safe.
 */
final class Delays {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final ConcurrentHistogram nanos = new ConcurrentHistogram(LONGEST_NANOS, 3);

  void add(long delayNanos) {
    nanos.recordValue(Math.clamp(delayNanos, 1, LONGEST_NANOS));
  }

  long count() {
    return nanos.getTotalCount();
  }

  /**
   * What this part of them does not exceed.
   *
   * @param part from 0 to 1
   */
  double millis(double part) {
    return nanos.getValueAtPercentile(part * 100) / 1e6;
  }

  void addTo(ObjectNode json) {
    json.put("p50Millis", rounded(millis(0.5)))
        .put("p99Millis", rounded(millis(0.99)))
        .put("maxMillis", rounded(millis(1)));
  }

  String toText() {
    return String.format(
        Locale.ROOT,
        "p50 %6.1f ms, p99 %6.1f ms, max %6.1f ms",
        millis(0.5),
        millis(0.99),
        millis(1));
  }

  private static double rounded(double figure) {
    return Math.round(figure * 100) / 100.0;
  }
}
