package dev.colony.testkit.load;

import dev.colony.agent.AgentId;
import dev.colony.node.StepListener;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Counts steps and keeps their latencies, exact to three digits; longer ones than an hour count as
 * an hour. Thread-safe.
 */
public final class StepLatencies implements StepListener {

  private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;

  private final ConcurrentHistogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

  @Override
  public void stepCompleted(AgentId agent, Duration took) {
    nanos.recordValue(Math.clamp(took.toNanos(), 1, LONGEST_NANOS));
  }

  /** Forgets everything, for a measurement that begins now. */
  public void reset() {
    nanos.reset();
  }

  public long steps() {
    return nanos.getTotalCount();
  }

  /**
   * The latency that this part of the steps does not exceed; zero if there were none.
   *
   * @param part from 0 to 1
   */
  public Duration percentile(double part) {
    return Duration.ofNanos(nanos.getValueAtPercentile(part * 100));
  }
}
