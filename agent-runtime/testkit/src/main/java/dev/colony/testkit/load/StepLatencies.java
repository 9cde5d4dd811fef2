package dev.colony.testkit.load;

import dev.colony.agent.AgentId;
import dev.colony.node.StepListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts steps and keeps their latencies in a histogram of constant size, exact to one part in 32.
 * Thread-safe. The buckets are those of Tene's HdrHistogram: 32 to each power of two.
 */
public final class StepLatencies implements StepListener {

  private static final int SUB_BITS = 5;
  private static final int SUB_BUCKETS = 1 << SUB_BITS;

  private final AtomicLongArray buckets = new AtomicLongArray(64 * SUB_BUCKETS);
  private final LongAdder steps = new LongAdder();

  @Override
  public void stepCompleted(AgentId agent, Duration took) {
    buckets.incrementAndGet(bucket(Math.max(1, took.toNanos())));
    steps.increment();
  }

  /** Forgets everything, for a measurement that begins now. */
  public void reset() {
    for (int i = 0; i < buckets.length(); i++) {
      buckets.set(i, 0);
    }
    steps.reset();
  }

  public long steps() {
    return steps.sum();
  }

  /**
   * The latency that this part of the steps does not exceed; zero if there were none.
   *
   * @param part from 0 to 1
   */
  public Duration percentile(double part) {
    long wanted = (long) Math.ceil(part * steps());
    long seen = 0;
    for (int i = 0; i < buckets.length() && wanted > 0; i++) {
      seen += buckets.get(i);
      if (seen >= wanted) {
        return Duration.ofNanos(highest(i));
      }
    }
    return Duration.ZERO;
  }

  private static int bucket(long nanos) {
    int shift = Math.max(0, 63 - Long.numberOfLeadingZeros(nanos) - SUB_BITS);
    return shift * SUB_BUCKETS + (int) (nanos >>> shift);
  }

  private static long highest(int bucket) {
    int shift = Math.max(0, bucket / SUB_BUCKETS - 1);
    long sub = bucket - (long) shift * SUB_BUCKETS;
    return ((sub + 1) << shift) - 1;
  }
}
