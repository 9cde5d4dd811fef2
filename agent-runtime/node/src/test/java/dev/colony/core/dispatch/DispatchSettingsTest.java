package dev.colony.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DispatchSettingsTest {

  @Test
  void theDefaultsAreRead() {
    DispatchSettings settings = Dispatching.settings();
    assertThat(settings.timeout()).isEqualTo(Duration.ofMinutes(10));
    assertThat(settings.inlineOutputBytes()).isEqualTo(32 * 1024);
    assertThat(settings.computing().threads()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "timeout, 25h",
    "grace, 2m",
    "max-abandoned, -1",
    "computing.threads, 0",
    "computing.queue, -1",
    "computing.max-abandoned, 1001",
    "retry.longest, 1ms",
    "max-parameters, 10 B",
    "inline-output, 2 MiB",
    "max-output, 1 KiB",
    "preview, 10000",
    "keep, 1s",
    "control-after, 0s"
  })
  void aBadValueNamesItsPathAndTheRange(String key, String value) {
    assertThatThrownBy(() -> Dispatching.settings(key + " = " + value))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.agent.action." + key)
        .hasMessageContaining(" to ");
  }
}
