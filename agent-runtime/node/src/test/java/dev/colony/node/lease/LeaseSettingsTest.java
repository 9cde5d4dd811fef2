package dev.colony.node.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseSettingsTest {

  @Test
  void theDefaultsAreWithinTheirRangesAndLeaveLeasesOff() {
    assertThat(LeaseSettings.fromConfig(ConfigFactory.load()).enabled()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "term, 50ms, PT0.1S to PT1H",
    "renew, 3s, PT0.01S to PT2S",
    "grace, 3s, PT4S to PT1H",
    "pickup, 3s, PT4S to PT1H",
    "bound, 1ms, PT0.01S to PT24H",
    "send-interval, 2s, PT0.01S to PT1S",
    "batch, 0, 1 to 10000",
    "batch-blocks, 20000, 100 to 16384",
    "remembered, 0, 1 to 10000000"
  })
  void aBadValueNamesItsPathItselfAndTheRange(String key, String value, String range) {
    Config config =
        ConfigFactory.parseString("colony.vcm.leases." + key + " = " + value)
            .withFallback(ConfigFactory.load());
    assertThatThrownBy(() -> LeaseSettings.fromConfig(config))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.vcm.leases." + key)
        .hasMessageContaining("must be " + range);
  }
}
