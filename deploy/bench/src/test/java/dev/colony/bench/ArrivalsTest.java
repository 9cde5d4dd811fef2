package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.bench.LoadedScopes.NumberedValue;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A message that is lost or doubled shows. */
class ArrivalsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void whatIsLostAndWhatCameTwice() {
    Arrivals arrivals = new Arrivals(4);
    for (int message : new int[] {2, 0, 2, 2}) {
      arrivals.arrived(message);
    }
    assertThat(arrivals.await(4, Duration.ZERO)).isFalse();
    assertThat(arrivals.await(2, LONG)).isTrue();
    assertThat(arrivals.lost()).isEqualTo(2);
    assertThat(arrivals.doubled()).isEqualTo(2);

    arrivals.arrived(1);
    arrivals.arrived(3);
    assertThat(arrivals.await(4, LONG)).isTrue();
    assertThat(arrivals.lost()).isZero();
  }

  @Test
  void latencyCountsFromTheInstantThatIsSaid() {
    Arrivals arrivals = new Arrivals(1);
    arrivals.sent(0, System.nanoTime() - Duration.ofSeconds(5).toNanos());
    arrivals.arrived(0);
    assertThat(arrivals.latency().millis(50)).isGreaterThanOrEqualTo(4_990);
  }

  @Test
  void aTallyIsWholeOnlyIfNothingIsLostOrDoubled() {
    assertThat(new Arrivals.Tally(10, 4, 10, 0, 0).whole()).isTrue();
    assertThat(new Arrivals.Tally(10, 4, 9, 0, 0).whole()).as("a write lost").isFalse();
    assertThat(new Arrivals.Tally(10, 4, 11, 0, 0).whole()).as("a write doubled").isFalse();
    assertThat(new Arrivals.Tally(10, 4, 10, 1, 0).whole()).isFalse();
    assertThat(new Arrivals.Tally(10, 4, 10, 0, 1).whole()).isFalse();
    assertThat(new Arrivals.Tally(10, 4, 10, 1, 1).received()).isEqualTo(10);
  }

  @Property
  void aValueHasTheBytesThatAreAskedForAndCarriesItsNumber(
      @ForAll @IntRange(min = NumberedValue.LEAST_BYTES, max = 600) int bytes,
      @ForAll @IntRange int number)
      throws Exception {
    NumberedValue values = new NumberedValue(bytes);
    byte[] json = JsonMapper.builder().build().writeValueAsBytes(values.of(number));
    assertThat(json).hasSize(bytes);
    assertThat(NumberedValue.number(values.of(number))).isEqualTo(number);
  }
}
