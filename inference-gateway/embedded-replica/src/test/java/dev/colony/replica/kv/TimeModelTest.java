package dev.colony.replica.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.replica.kv.Scheduler.Share;
import dev.colony.replica.kv.Scheduler.Step;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeModelTest {

  private static final Sequence ANY = new Sequence(new int[] {1}, new int[] {2}, 16, "");

  @Test
  void promptTokensCostMoreTheMoreStandBeforeThem() {
    TimeModel time = time("factor = 1, prefill-tokens-per-second = 1000, attention-tokens = 10000");
    // u (1 + (c + u / 2) / A) / P
    assertThat(nanos(time, new Share(ANY, 0, 1000, false))).isEqualTo(1_050_000_000L);
    assertThat(nanos(time, new Share(ANY, 10_000, 1000, false))).isEqualTo(2_050_000_000L);
  }

  @Test
  void aStepThatDecodesCostsOnceAndForEachCallAndForWhatTheyHold() {
    TimeModel time =
        time(
            "factor = 2, decode-step = 10 ms, decode-per-call = 1 ms, decode-per-1000-tokens = 3"
                + " ms");
    Share one = new Share(ANY, 1000, 1, true);
    assertThat(nanos(time, one)).isEqualTo(28_000_000L);
    assertThat(nanos(time, one, one)).isEqualTo(36_000_000L);
  }

  @Test
  void theWeightsAreReadWhilePromptsAreComputed() {
    TimeModel time =
        time(
            "factor = 1, prefill-tokens-per-second = 1000, attention-tokens = 2147483647",
            "decode-step = 10 ms, decode-per-call = 0, decode-per-1000-tokens = 3 ms");
    Share decoding = new Share(ANY, 1000, 1, true);
    assertThat(nanos(time, new Share(ANY, 0, 5, false), decoding)).isEqualTo(13_000_000L);
    assertThat(nanos(time, new Share(ANY, 0, 20, false), decoding)).isEqualTo(23_000_000L);
  }

  /** The published figures that the preset names, within what its fit is off by. */
  @Test
  void theUsualTimesAreThoseThatArePublishedOfTheModel() {
    TimeModel time = time("factor = 1");
    assertThat(time).isEqualTo(TimeModel.LLAMA_70B_2XH100);
    assertThat(nanos(time, new Share(ANY, 0, 5000, false)) / 1e6).isBetween(400.0, 412.0);
    assertThat(nanos(time, new Share(ANY, 5000, 1, true)) / 1e6).isBetween(18.0, 19.2);
  }

  @Test
  void aPresetThatIsNoneIsRefusedWithThoseThatThereAre() {
    assertThatThrownBy(() -> time("preset = tpu"))
        .hasMessage(
            "colony.inference.embedded.time.preset = tpu is none, allowed is one of"
                + " [llama-70b-2xh100]");
  }

  @Test
  void withFactorZeroNothingTakesTime() {
    assertThat(nanos(time("factor = 0"), new Share(ANY, 0, 1000, false))).isZero();
    assertThat(time("decode-step = 5 ms").decodeStep()).isEqualTo(Duration.ofMillis(5));
  }

  private static TimeModel time(String... lines) {
    return TimeModel.fromConfig(
        ConfigFactory.parseString(String.join("\n", lines))
            .withFallback(
                ConfigFactory.parseResources("reference.conf")
                    .resolve()
                    .getConfig(TimeModel.PATH)));
  }

  private static long nanos(TimeModel time, Share... shares) {
    return time.nanos(new Step(List.of(shares), 0));
  }
}
