package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.ClientSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentSettingsTest {

  @Test
  void theDefaultsAreWithinTheirRanges() {
    AgentSettings settings = Settings.read(AgentSettings.class, ConfigFactory.load());
    assertThat(settings.placementUnits()).isEqualTo(150);
    assertThat(settings.passivateAfter()).isEqualTo(Duration.ofMinutes(2));
    assertThat(Settings.read(ClientSettings.class, ConfigFactory.load()).maxInput())
        .isEqualTo(128 * 1024);
  }

  @ParameterizedTest
  @CsvSource({
    "placement-units, 0, 1 to 10000",
    "capability.max-snapshot, 17m, 0 B to 16 MiB",
    "passivate-after, 1ms, 10 ms to 1 d",
    "inbox.max-deliveries, 5000, 1 to 1000",
    "retention.runs, 1ms, 100 ms to 36500 d",
    "resumption.early-signals, 2h, 0 s to 1 h"
  })
  void aBadValueNamesItsPathItselfAndTheRange(String key, String value, String range) {
    Config config =
        ConfigFactory.parseString("colony.agent." + key + " = " + value)
            .withFallback(ConfigFactory.load());
    assertThatThrownBy(() -> Settings.read(AgentSettings.class, config))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.agent." + key)
        .hasMessageContaining("must be " + range);
  }
}
