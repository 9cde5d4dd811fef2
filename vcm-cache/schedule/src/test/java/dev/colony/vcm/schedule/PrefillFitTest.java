package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The speed of a replica is learned from how long prompts took there. */
class PrefillFitTest {

  private static final PrefillSpeed PRIOR = new PrefillSpeed(5000, 50_000);

  @Property(tries = 100)
  void learnsTheSpeedThoughAFifthOfTheTimesAreFarOff(
      @ForAll @DoubleRange(min = 300, max = 60_000) double tokensPerSecond,
      @ForAll @DoubleRange(min = 8000, max = 200_000) double attentionTokens,
      @ForAll long seed) {
    PrefillSpeed truth = new PrefillSpeed(tokensPerSecond, attentionTokens);
    PrefillFit fit = new PrefillFit(PRIOR, 256);
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      double uncached = 100 + random.nextDouble() * 20_000;
      double cached = random.nextBoolean() ? 0 : random.nextDouble() * 60_000;
      double noise = 0.9 + 0.2 * random.nextDouble();
      double wait = i % 5 == 0 ? 2 + 8 * random.nextDouble() : 1;
      fit.observe(uncached, cached, truth.seconds(uncached, cached) * noise * wait);
    }
    for (double[] prompt : new double[][] {{2000, 0}, {2000, 40_000}, {20_000, 0}}) {
      assertThat(fit.speed().seconds(prompt[0], prompt[1]))
          .isCloseTo(truth.seconds(prompt[0], prompt[1]), Percentage.withPercentage(25));
    }
  }

  @Test
  void isAsManyTimesSlowerThanWhatItWasMadeWithAsTheFirstObservationsSay() {
    PrefillFit fit = new PrefillFit(PRIOR, 64);
    assertThat(fit.speed()).isEqualTo(PRIOR);
    for (int i = 0; i < 7; i++) {
      double late = i == 1 || i == 2 ? 30 : 10;
      fit.observe(1000 + 100 * i, 500, late * PRIOR.seconds(1000 + 100 * i, 500));
      assertThat(fit.speed().tokensPerSecond())
          .as("after %d", i + 1)
          .isCloseTo(i == 2 ? 5000 / 30.0 : 500, Percentage.withPercentage(1e-6));
    }
    assertThat(fit.speed().attentionTokens()).isEqualTo(50_000);
    fit.observe(2000, 0, 1);
    assertThat(fit.speed().tokensPerSecond()).isNotEqualTo(500);
  }

  @Test
  void followsAReplicaThatBecomesFaster() {
    PrefillFit fit = new PrefillFit(PRIOR, 64);
    PrefillSpeed slow = new PrefillSpeed(1000, 50_000);
    PrefillSpeed fast = new PrefillSpeed(10_000, 50_000);
    for (int i = 0; i < 64; i++) {
      fit.observe(100 * (i + 1), 0, slow.seconds(100 * (i + 1), 0));
    }
    assertThat(fit.speed().seconds(4000, 0))
        .isCloseTo(slow.seconds(4000, 0), Percentage.withPercentage(2));
    for (int i = 0; i < 64; i++) {
      fit.observe(100 * (i + 1), 0, fast.seconds(100 * (i + 1), 0));
    }
    assertThat(fit.speed().seconds(4000, 0))
        .isCloseTo(fast.seconds(4000, 0), Percentage.withPercentage(2));
  }

  @Test
  void whatAttentionCostsStaysWhatItWasMadeWithWhereAllPromptsAreAlike() {
    PrefillFit fit = new PrefillFit(PRIOR, 64);
    PrefillSpeed truth = new PrefillSpeed(20_000, PRIOR.attentionTokens());
    for (int i = 0; i < 64; i++) {
      fit.observe(1000, 0, truth.seconds(1000, 0));
    }
    assertThat(fit.speed().attentionTokens())
        .isCloseTo(PRIOR.attentionTokens(), Percentage.withPercentage(10));
    assertThat(fit.speed().tokensPerSecond()).isCloseTo(20_000, Percentage.withPercentage(2));
  }

  @Test
  void passesOverWhatIsNoObservation() {
    PrefillFit fit = new PrefillFit(PRIOR, 8);
    fit.observe(0, 100, 1);
    fit.observe(100, 0, 0);
    fit.observe(100, 0, Double.NaN);
    fit.observe(100, -1, 1);
    assertThat(fit.observations()).isZero();
  }

  @Test
  void secondsGrowWithTheContext() {
    PrefillSpeed speed = new PrefillSpeed(1000, 10_000);
    assertThat(speed.seconds(1000, 0)).isEqualTo(1.05, within(1e-9));
    assertThat(speed.seconds(1000, 10_000)).isEqualTo(2.05, within(1e-9));
    assertThat(new PrefillSpeed(1000, Double.POSITIVE_INFINITY).seconds(1000, 10_000)).isEqualTo(1);
  }
}
