package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/** The settings of the HTTP client, and the pauses that they make. */
class HttpClientSettingsTest {

  private static HttpClientSettings settings(String overrides) {
    return HttpClientSettings.fromConfig(
        ConfigFactory.parseString(overrides).withFallback(ConfigFactory.load()));
  }

  @Property
  void aPauseIsWithinItsBoundsAndGrows(
      @ForAll @IntRange(min = 1, max = 10_000) int failed,
      @ForAll @DoubleRange(max = 1) double random) {
    HttpClientSettings settings = settings("");
    assertThat(settings.pause(failed, random))
        .isBetween(settings.leastPause(), settings.mostPause())
        .isLessThanOrEqualTo(settings.pause(failed + 1, random));
    assertThat(settings.pause(10_000, 1)).isEqualTo(settings.mostPause());
    assertThat(settings.pause(failed, 0)).isEqualTo(settings.leastPause());
  }

  @Example
  void equalBoundsMakeEvenPauses() {
    HttpClientSettings settings = settings("colony.agent.http.pause { least = 1s, most = 1s }");
    assertThat(settings.pause(5, 0.7)).isEqualTo(Duration.ofSeconds(1));
  }

  @Example
  void whatCannotBeIsRefusedWithItsPath() {
    assertThatThrownBy(() -> settings("colony.agent.http.long-poll = 31s"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.agent.http.long-poll");
    assertThatThrownBy(() -> settings("colony.agent.http.pause { least = 2s, most = 1s }"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.agent.http.pause.most");
  }
}
