package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.ScheduleSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewaySettingsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gateway.max-concurrent-per-replica = 0",
        "gateway.max-attempts = 0",
        "gateway.attempt-timeout = 0 s",
        "gateway.overload-retries = -1",
        "admission.max-waiting = -1",
        "admission.usual.weight = 0",
        "client.first-token-timeout = 0 s",
        "client.max-reply-tokens = 0",
        "routing.cache-tokens = 0"
      })
  void aBadValueIsRefusedWithItsPathAndTheAllowedRange(String line) {
    String[] setting = line.split(" = ");
    Config config = config(line);
    assertThatThrownBy(
            () -> {
              GatewaySettings.fromConfig(config);
              ProviderSettings.fromConfig(config);
              RoutingSettings.fromConfig(config);
            })
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.inference." + setting[0])
        .hasMessageContaining("is " + setting[1] + ", but must be ");
  }

  @Test
  void cachesAreCountedInBlocks() {
    assertThat(RoutingSettings.BLOCK_TOKENS).isEqualTo(64);
    ScheduleSettings schedule =
        RoutingSettings.fromConfig(config("routing.cache-tokens = 6400"))
            .schedule(RoutingSettings.BLOCK_TOKENS);
    assertThat(schedule.cacheBlocks()).isEqualTo(100);
    assertThat(schedule.mostBlocks()).isEqualTo(62_500);
    assertThat(schedule.reportSeconds()).isEqualTo(1);
  }
}
