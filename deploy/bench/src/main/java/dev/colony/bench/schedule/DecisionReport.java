package dev.colony.bench.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.JsonLines;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * How long decisions took.
 *
 * @param arrivals of requests
 * @param ends of requests, after which those that wait are tried, and times at which they are tried
 *     again
 * @param waiting requests that waited at a decision, on average
 */
public record DecisionReport(DecisionLoad load, Times arrivals, Times ends, double waiting) {

  /**
   * What decisions of one kind took, in nanoseconds: by the processor time of their thread, which
   * other processes of the machine take no part of, and by the clock.
   */
  static final class Times {
    private final Histogram worked = new Histogram(3);
    private final Histogram took = new Histogram(3);

    void record(long workedNanos, long tookNanos) {
      worked.recordValue(Math.max(0, workedNanos));
      took.recordValue(tookNanos);
    }
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json = load.toJson().put("waiting", waiting);
    json.set("arrivals", toJson(arrivals));
    json.set("ends", toJson(ends));
    return json.toString();
  }

  private static ObjectNode toJson(Times times) {
    return JsonLines.JSON
        .createObjectNode()
        .put("count", times.took.getTotalCount())
        .put("processorP50Micros", times.worked.getValueAtPercentile(50) / 1e3)
        .put("processorP99Micros", times.worked.getValueAtPercentile(99) / 1e3)
        .put("p50Micros", times.took.getValueAtPercentile(50) / 1e3)
        .put("p99Micros", times.took.getValueAtPercentile(99) / 1e3);
  }

  /** A line each. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        "%d replicas of %,d pages, %,d agents of %d pages each: %.0f requests wait on"
            + " average%n%s%n%s",
        load.replicas(),
        load.cachePages(),
        load.agents(),
        load.pages(),
        waiting,
        toText("a request comes", arrivals),
        toText("a turn ends, those that wait are tried", ends));
  }

  private static String toText(String what, Times times) {
    return String.format(
        Locale.ROOT,
        "%-38s %,9d: processor p50 %6.1f us, p99 %6.1f us; clock p50 %6.1f us, p99 %7.1f us",
        what,
        times.took.getTotalCount(),
        times.worked.getValueAtPercentile(50) / 1e3,
        times.worked.getValueAtPercentile(99) / 1e3,
        times.took.getValueAtPercentile(50) / 1e3,
        times.took.getValueAtPercentile(99) / 1e3);
  }
}
