package dev.colony.inference.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.gateway.GatewaySettings.ReplicaBackoff;
import java.time.Duration;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReplicaBackoffTest {

  private static final ReplicaBackoff BACKOFF =
      new ReplicaBackoff(Duration.ofMillis(100), Duration.ofSeconds(2));

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
    assertThat(BACKOFF.delay(1, asked, 1)).isEqualTo(Duration.ofSeconds(9));
    assertThat(BACKOFF.delay(6, Optional.of(Duration.ofMillis(1)), 1))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Property
  void itStaysWithinItsBoundsHoweverManyFailures(
      @ForAll @IntRange(min = 1) int failures, @ForAll @DoubleRange(min = 0, max = 1) double r) {
    assertThat(delayed(failures, r)).isBetween(Duration.ZERO, Duration.ofSeconds(2));
  }

  private static Duration delayed(int failures, double random) {
    return BACKOFF.delay(failures, Optional.empty(), random);
  }
}
