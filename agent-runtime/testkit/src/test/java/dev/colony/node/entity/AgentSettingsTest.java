package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.client.ClientSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentSettingsTest {

  @Test
  void theDefaultsAreWithinTheirRanges() {
    AgentSettings settings = AgentSettings.fromConfig(ConfigFactory.load());
    assertThat(settings.placementUnits()).isEqualTo(150);
    assertThat(settings.passivateAfter()).isEqualTo(Duration.ofMinutes(2));
    assertThat(ClientSettings.fromConfig(ConfigFactory.load()).maxInputBytes())
        .isEqualTo(128 * 1024);
  }

  @ParameterizedTest
  @CsvSource({
    "placement-units, 0, 1 to 10000",
    "run.usual.iterations, -1, 1 to 10000000",
    "run.most.time, 1ms, PT0.01S to PT87600H",
    "capability.max-snapshot, 17m, 0 to 16777216 bytes",
    "max-output, 10, 1024 to 67108864 bytes",
    "passivate-after, 1ms, PT0.01S to PT24H",
    "journal-backoff.longest, 1ms, PT0.2S to PT1H",
    "inbox.workers, 5000, 1 to 1000",
    "waker.batch, 0, 1 to 10000"
  })
  void aBadValueNamesItsPathItselfAndTheRange(String key, String value, String range) {
    Config config =
        ConfigFactory.parseString("colony.agent." + key + " = " + value)
            .withFallback(ConfigFactory.load());
    assertThatThrownBy(() -> AgentSettings.fromConfig(config))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.agent." + key)
        .hasMessageContaining("must be " + range);
  }
}
