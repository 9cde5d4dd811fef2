package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.Engine.TimeModel;
import dev.colony.replica.Scheduler.Share;
import dev.colony.replica.Scheduler.Step;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeModelTest {

  private static final TimeModel USUAL = TimeModel.LLAMA_70B_2XH100;
  private static final Sequence ANY = new Sequence(new int[] {1}, new int[] {2}, 16, "");

  @Test
  void promptTokensCostMoreTheMoreStandBeforeThem() {
    TimeModel time =
        new TimeModel(1, 1000, 10_000, USUAL.decodeStep(), Duration.ZERO, Duration.ZERO);
    // u (1 + (c + u / 2) / A) / P
    assertThat(nanos(time, new Share(ANY, 0, 1000, false))).isEqualTo(1_050_000_000L);
    assertThat(nanos(time, new Share(ANY, 10_000, 1000, false))).isEqualTo(2_050_000_000L);
  }

  @Test
  void aStepThatDecodesCostsOnceAndForEachCallAndForWhatTheyHold() {
    TimeModel time =
        new TimeModel(
                1,
                USUAL.prefillTokensPerSecond(),
                USUAL.attentionTokens(),
                Duration.ofMillis(10),
                Duration.ofMillis(1),
                Duration.ofMillis(3))
            .times(2);
    Share one = new Share(ANY, 1000, 1, true);
    assertThat(nanos(time, one)).isEqualTo(28_000_000L);
    assertThat(nanos(time, one, one)).isEqualTo(36_000_000L);
  }

  @Test
  void theWeightsAreReadWhilePromptsAreComputed() {
    TimeModel time =
        new TimeModel(
            1, 1000, Integer.MAX_VALUE, Duration.ofMillis(10), Duration.ZERO, Duration.ofMillis(3));
    Share decoding = new Share(ANY, 1000, 1, true);
    assertThat(nanos(time, new Share(ANY, 0, 5, false), decoding)).isEqualTo(13_000_000L);
    assertThat(nanos(time, new Share(ANY, 0, 20, false), decoding)).isEqualTo(23_000_000L);
  }

  /** The published figures that the preset names, within what its fit is off by. */
  @Test
  void theUsualTimesAreThoseThatArePublishedOfTheModel() {
    TimeModel time = USUAL;
    assertThat(nanos(time, new Share(ANY, 0, 5000, false)) / 1e6).isBetween(400.0, 412.0);
    assertThat(nanos(time, new Share(ANY, 5000, 1, true)) / 1e6).isBetween(18.0, 19.2);
  }

  @Test
  void withFactorZeroNothingTakesTime() {
    assertThat(nanos(USUAL.times(0), new Share(ANY, 0, 1000, false))).isZero();
  }

  private static long nanos(TimeModel time, Share... shares) {
    return time.nanos(new Step(List.of(shares), 0));
  }
}
