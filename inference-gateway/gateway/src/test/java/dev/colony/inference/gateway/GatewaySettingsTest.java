package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import dev.colony.inference.provider.ProviderSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewaySettingsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gateway.max-concurrent-per-replica = 0",
        "gateway.max-attempts = 0",
        "gateway.attempt-timeout = 0 s",
        "gateway.backoff-base = 0 s",
        "gateway.backoff-max = 1 ms",
        "gateway.overload-retries = -1",
        "gateway.overload-backoff-base = 0 s",
        "gateway.overload-backoff-max = 1 ms",
        "gateway.sent-prompts = 0",
        "gateway.sent-prompt-characters = 0",
        "feed.poll-timeout = 0 s",
        "feed.retry-delay = 0 s",
        "feed.lost-after = -1 s",
        "feed.estimated-capacity-tokens = -1",
        "feed.estimated-recheck = 0 s",
        "client.connect-timeout = 0 s",
        "client.max-reply-bytes = 10"
      })
  void aBadValueIsRefusedWithItsPathAndTheAllowedRange(String line) {
    String key = line.substring(0, line.indexOf(' '));
    Config config = config(line);
    assertThatThrownBy(
            () -> {
              GatewaySettings.fromConfig(config);
              FeedSettings.fromConfig(config);
              ProviderSettings.fromConfig(config);
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colony.inference." + key + " = ")
        .hasMessageContaining("allowed is");
  }
}
