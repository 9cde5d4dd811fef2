package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReplicaBackoffTest {

  private static final GatewaySettings SETTINGS =
      GatewaySettings.fromConfig(
          config("gateway.backoff-base = 100 ms", "gateway.backoff-max = 2 s"));

  @Test
  void theBoundDoublesUpToItsMaximum() {
    assertThat(delayed(1, 1)).isEqualTo(Duration.ofMillis(100));
    assertThat(delayed(2, 1)).isEqualTo(Duration.ofMillis(200));
    assertThat(delayed(5, 1)).isEqualTo(Duration.ofMillis(1600));
    assertThat(delayed(6, 1)).isEqualTo(Duration.ofSeconds(2));
    assertThat(delayed(6, 0)).isZero();
  }

  @Test
  void theServersWishIsALowerBound() {
    Optional<Duration> asked = Optional.of(Duration.ofSeconds(9));
    assertThat(ReplicaBackoff.usual(SETTINGS).delay(1, asked, 1)).isEqualTo(Duration.ofSeconds(9));
    assertThat(ReplicaBackoff.usual(SETTINGS).delay(6, Optional.of(Duration.ofMillis(1)), 1))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void anOverloadedServerHasABackoffOfItsOwn() {
    ReplicaBackoff overloaded =
        ReplicaBackoff.overloaded(
            GatewaySettings.fromConfig(
                config(
                    "gateway.overload-backoff-base = 2 s", "gateway.overload-backoff-max = 9 s")));
    assertThat(overloaded.delay(2, Optional.empty(), 1)).isEqualTo(Duration.ofSeconds(4));
    assertThat(overloaded.delay(9, Optional.empty(), 1)).isEqualTo(Duration.ofSeconds(9));
  }

  @Property
  void itStaysWithinItsBoundsHoweverManyFailures(
      @ForAll @IntRange(min = 1) int failures, @ForAll @DoubleRange(min = 0, max = 1) double r) {
    assertThat(delayed(failures, r)).isBetween(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static Duration delayed(int failures, double random) {
    return ReplicaBackoff.usual(SETTINGS).delay(failures, Optional.empty(), random);
  }
}
