package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.board.TransactionRun.Retries;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class RetriesTest {

  @Property
  void aPauseIsWithinItsBound(
      @ForAll @IntRange(min = 1, max = 1_000) int min,
      @ForAll @IntRange(max = 100_000) int more,
      @ForAll @IntRange(min = 1, max = 1_000_000) int failed,
      @ForAll long seed) {
    RetryPolicy policy =
        new RetryPolicy(failed + 1, Duration.ofMillis(min), Duration.ofMillis(min + more));
    double bound = Math.min(min + more, min * Math.pow(2, failed - 1));
    assertThat(Retries.pause(policy, failed, new Random(seed)).toNanos())
        .isBetween(0L, (long) (bound * 1e6));
  }

  @Example
  void pausesFillTheirBound() {
    RetryPolicy policy = new RetryPolicy(9, Duration.ofMillis(2), Duration.ofMillis(500));
    Random random = new Random(7);
    LongSummaryStatistics third =
        LongStream.range(0, 10_000)
            .map(i -> Retries.pause(policy, 3, random).toNanos())
            .summaryStatistics();
    assertThat(third.getMin()).isLessThan(200_000);
    assertThat(third.getMax()).isBetween(7_800_000L, 8_000_000L);
    assertThat(third.getAverage()).isBetween(3_800_000d, 4_200_000d);
  }

  @Example
  void boundsNearTheEndOfTimeDoNotOverflow() {
    RetryPolicy policy = new RetryPolicy(999, Duration.ofDays(80_000), Duration.ofDays(100_000));
    Random random = new Random(7);
    LongSummaryStatistics late =
        LongStream.range(0, 1_000)
            .map(i -> Retries.pause(policy, 998, random).toDays())
            .summaryStatistics();
    assertThat(late.getMin()).isBetween(0L, 1_000L);
    assertThat(late.getMax()).isBetween(99_000L, 100_000L);
  }
}
