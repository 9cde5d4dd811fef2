package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.client.http.ColonyApi.HttpBounds;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class HttpBoundsTest {

  @Property
  void aPauseIsWithinItsBoundsAndGrows(
      @ForAll @IntRange(min = 1, max = 10_000) int failed,
      @ForAll @DoubleRange(max = 1) double random) {
    HttpBounds bounds = HttpBounds.of(ConfigFactory.load());
    assertThat(bounds.pause(failed, random))
        .isBetween(bounds.leastPause(), bounds.mostPause())
        .isLessThanOrEqualTo(bounds.pause(failed + 1, random));
    assertThat(bounds.pause(10_000, 1)).isEqualTo(bounds.mostPause());
    assertThat(bounds.pause(failed, 0)).isEqualTo(bounds.leastPause());
  }

  @Example
  void whatCannotBeIsRefusedWithItsPath() {
    assertThatThrownBy(() ->
            HttpBounds.of(
                ConfigFactory.parseString("colony.agent.http.give-up = 25h")
                    .withFallback(ConfigFactory.load())))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.agent.http.give-up");
  }
}
