package dev.colony.inference.routing;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import dev.colony.vcm.schedule.ScheduleSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingSettingsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "routing.congestion = 101",
        "routing.max-congestion = -1",
        "routing.queue-average = 0 s",
        "routing.prefill-tokens-per-second = 0",
        "routing.attention-tokens = 0",
        "routing.observations = 7",
        "routing.block-characters = 15",
        "routing.cache-tokens = 0",
        "routing.max-cache-tokens = 399999",
        "routing.report-interval = 9 ms",
        "routing.report-expiry = 99 ms",
        "routing.reach = -1 ms"
      })
  void aBadValueIsRefusedWithItsPathAndTheAllowedRange(String line) {
    String key = line.substring(0, line.indexOf(' '));
    Config config = config(line);
    assertThatThrownBy(() -> RoutingSettings.fromConfig(config))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.inference." + key + " = ")
        .hasMessageContaining("allowed is");
  }

  @Test
  void cachesAreCountedInBlocks() {
    RoutingSettings settings = RoutingSettings.fromConfig(config("routing.cache-tokens = 6400"));
    assertThat(settings.blockTokens()).isEqualTo(64);
    ScheduleSettings schedule = settings.schedule(settings.blockTokens());
    assertThat(schedule.cacheBlocks()).isEqualTo(100);
    assertThat(schedule.mostBlocks()).isEqualTo(62_500);
    assertThat(schedule.reportSeconds()).isEqualTo(1);
  }
}
