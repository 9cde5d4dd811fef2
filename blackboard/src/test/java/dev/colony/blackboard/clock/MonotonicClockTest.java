package dev.colony.blackboard.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MonotonicClockTest {

  private long nanos = Long.MAX_VALUE - 5;

  /** Readings may be anything and overflow. */
  private final MonotonicClock clock = () -> nanos;

  @Test
  void aDeadlinePassesWhenItsTimeIsOver() {
    Deadline deadline = clock.deadline(Duration.ofNanos(10));
    assertThat(deadline.left()).isEqualTo(Duration.ofNanos(10));
    assertThat(deadline.allows(Duration.ofNanos(9))).isTrue();
    assertThat(deadline.allows(Duration.ofNanos(10))).isFalse();
    nanos += 9;
    assertThat(deadline.passed()).isFalse();
    nanos += 1;
    assertThat(deadline.passed()).isTrue();
    nanos += 1;
    assertThat(deadline.left()).isZero();
  }

  @Test
  void ofTwoDeadlinesTheEarlierIsBefore() {
    Deadline soon = clock.deadline(Duration.ofNanos(1));
    Deadline late = clock.deadline(Duration.ofNanos(10));
    assertThat(soon.isBefore(late)).isTrue();
    assertThat(late.isBefore(soon)).isFalse();
    assertThat(soon.isBefore(soon)).isFalse();
  }

  @Test
  void aStopwatchTellsHowLongItHasRun() {
    Stopwatch watch = clock.stopwatch();
    nanos += 7;
    assertThat(watch.elapsed()).isEqualTo(Duration.ofNanos(7));
    assertThat(watch.isOver(Duration.ofNanos(7))).isFalse();
    nanos += 1;
    assertThat(watch.isOver(Duration.ofNanos(7))).isTrue();
  }
}
