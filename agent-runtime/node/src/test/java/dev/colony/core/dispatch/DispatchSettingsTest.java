package dev.colony.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DispatchSettingsTest {

  private static DispatchSettings settings(String own) {
    return DispatchSettings.fromConfig(
        ConfigFactory.parseString("colony.agent.action { " + own + " }")
            .withFallback(ConfigFactory.load()));
  }

  @Test
  void theDefaultsAreRead() {
    DispatchSettings settings = settings("");
    assertThat(settings.timeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(settings.computing()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"timeout, 25h", "computing.threads, 0"})
  void aBadValueNamesItsPathAndTheRange(String key, String value) {
    assertThatThrownBy(() -> settings(key + " = " + value))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.agent.action." + key)
        .hasMessageContaining(" to ");
  }
}
