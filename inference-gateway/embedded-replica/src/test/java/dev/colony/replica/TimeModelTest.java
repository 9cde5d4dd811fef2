package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.kv.Scheduler.Share;
import dev.colony.replica.kv.Scheduler.Step;
import dev.colony.replica.kv.Sequence;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeModelTest {

  private static final Sequence ANY = new Sequence(new int[] {1}, new int[] {2}, 16, "");

  @Test
  void promptTokensCostMoreTheMoreStandBeforeThem() {
    TimeModel time =
        Replicas.settings(
                "time { factor = 1, prefill-tokens-per-second = 1000, attention-tokens = 10000 }")
            .time();
    // u (1 + (c + u / 2) / A) / P
    assertThat(nanos(time, new Share(ANY, 0, 1000, false))).isEqualTo(1_050_000_000L);
    assertThat(nanos(time, new Share(ANY, 10_000, 1000, false))).isEqualTo(2_050_000_000L);
  }

  @Test
  void aStepThatDecodesCostsOnceAndForEachCallAndForWhatTheyHold() {
    TimeModel time =
        Replicas.settings(
                "time { factor = 2, decode-step = 10 ms, decode-per-call = 1 ms",
                "decode-per-1000-tokens = 3 ms }")
            .time();
    Share one = new Share(ANY, 1000, 1, true);
    assertThat(nanos(time, one)).isEqualTo(28_000_000L);
    assertThat(nanos(time, one, one)).isEqualTo(36_000_000L);
  }

  @Test
  void withFactorZeroNothingTakesTime() {
    assertThat(nanos(Replicas.settings().time(), new Share(ANY, 0, 1000, false))).isZero();
  }

  private static long nanos(TimeModel time, Share... shares) {
    return time.nanos(new Step(List.of(shares), 0));
  }
}
