package dev.colony.bench.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** The median and the 99th percentile of many latencies. */
public record LatencyFigures(double p50Millis, double p99Millis) {

  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 3;

  /** Exact to three digits; longer latencies than ten minutes count as ten minutes. */
  public static ConcurrentHistogram histogram() {
    return new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
  }

  public static void record(ConcurrentHistogram histogram, long nanos) {
    histogram.recordValue(Math.clamp(nanos, 1, LONGEST_NANOS));
  }

  public static LatencyFigures of(ConcurrentHistogram histogram) {
    return new LatencyFigures(
        histogram.getValueAtPercentile(50) / 1e6, histogram.getValueAtPercentile(99) / 1e6);
  }

  /** Adds its two fields, whose names begin with a prefix. */
  public void addTo(ObjectNode json, String prefix) {
    json.put(prefix + "P50Millis", Figures.rounded(p50Millis))
        .put(prefix + "P99Millis", Figures.rounded(p99Millis));
  }

  public String toText() {
    return "p50 %s ms, p99 %s ms".formatted(Figures.text(p50Millis), Figures.text(p99Millis));
  }
}
