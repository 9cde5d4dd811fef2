package dev.colony.library.hook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RateGateTest {

  private static final Duration HOUR = Duration.ofHours(1);

  // Anywhere: nanoTime has no origin, and may be about to overflow.
  private long now = Long.MAX_VALUE - 1_000;

  private RateGate gate(int permits, Duration per, int burst) {
    return new RateGate(permits, per, burst, () -> now);
  }

  @Test
  void aBurstIsGivenAtOnceAndThenTheRate() {
    RateGate gate = gate(10, Duration.ofSeconds(1), 3);
    List<OptionalLong> waits = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waits.add(gate.take(HOUR));
    }
    assertThat(waits)
        .extracting(OptionalLong::getAsLong)
        .containsExactly(0L, 0L, 0L, 100_000_000L, 200_000_000L);
  }

  @Test
  void whatWouldWaitTooLongTakesNothing() {
    RateGate gate = gate(1, Duration.ofSeconds(1), 1);
    assertThat(gate.take(Duration.ZERO)).hasValue(0);
    assertThat(gate.take(Duration.ofMillis(999))).isEmpty();
    assertThat(gate.take(Duration.ofMillis(999))).isEmpty();
    assertThat(gate.take(Duration.ofSeconds(1))).hasValue(1_000_000_000L);
    gate.putBack();
    now += 1_000_000_000L;
    assertThat(gate.take(Duration.ZERO)).hasValue(0);
  }

  @Test
  void aKeptGateGoesOnWhereItWas() {
    RateGate gate = gate(1, Duration.ofMinutes(1), 2);
    gate.take(HOUR);
    gate.take(HOUR);
    assertThat(gate.untilFull()).isEqualTo(Duration.ofMinutes(2));
    RateGate again = gate(1, Duration.ofMinutes(1), 2);
    again.fullAfter(gate.untilFull());
    assertThat(again.take(Duration.ZERO)).isEmpty();
    again.fullAfter(Duration.ofDays(365));
    assertThat(again.untilFull()).isEqualTo(Duration.ofMinutes(2));
  }

  @Property
  void noWindowHoldsMoreThanTheBurstAndTheRate(
      @ForAll @IntRange(min = 1, max = 5) int burst,
      @ForAll @Size(max = 60) List<@IntRange(max = 3000) Integer> pausesMillis) {
    RateGate gate = gate(1, Duration.ofSeconds(1), burst);
    long start = now;
    List<Long> used = new ArrayList<>();
    for (int pause : pausesMillis) {
      now += pause * 1_000_000L;
      gate.take(HOUR).ifPresent(wait -> used.add(now - start + wait));
    }
    for (int from = 0; from < used.size(); from++) {
      for (int to = from; to < used.size(); to++) {
        long allowed = burst + (used.get(to) - used.get(from)) / 1_000_000_000L;
        assertThat((long) to - from + 1).isLessThanOrEqualTo(allowed);
      }
    }
  }
}
