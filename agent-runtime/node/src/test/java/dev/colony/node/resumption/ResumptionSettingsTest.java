package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResumptionSettingsTest {

  @Test
  void theDefaultsAreWithinTheirRanges() {
    assertThat(ResumptionSettings.fromConfig(ConfigFactory.load()))
        .isEqualTo(
            new ResumptionSettings(
                Duration.ofSeconds(5),
                Duration.ofMinutes(5),
                100,
                Duration.ofMillis(50),
                32,
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @CsvSource({
    "look, 1ms, PT0.01S to PT1H",
    "sweep, 2d, PT0.01S to PT24H",
    "batch, 0, 1 to 10000",
    "pause, 2m, PT0.001S to PT1M",
    "at-once, 10001, 1 to 10000",
    "early-signals, 2h, PT0S to PT1H",
    "keep-signals, 1ms, PT0.01S to PT24H",
    "repeat-after, 1ms, PT0.01S to PT24H"
  })
  void aBadValueNamesItsPathItselfAndTheRange(String key, String value, String range) {
    Config config =
        ConfigFactory.parseString("colony.agent.resumption." + key + " = " + value)
            .withFallback(ConfigFactory.load());
    assertThatThrownBy(() -> ResumptionSettings.fromConfig(config))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.agent.resumption." + key)
        .hasMessageContaining("must be " + range);
  }
}
