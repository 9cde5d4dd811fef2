package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmbeddedReplicaSettingsTest {

  @Test
  void theDefaultsAreValid() {
    EmbeddedReplicaSettings settings = Replicas.settings();
    assertThat(settings.host()).isEqualTo("127.0.0.1");
    assertThat(settings.cacheTokens()).isEqualTo(16 * 131_072);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "port = 65536 | embedded.port | is 65536, but must be 0 to 65535",
        "capacity-blocks = 0 | embedded.capacity-blocks | but must be 1 to 16777216",
        "context-tokens = 99999999 | embedded | context-tokens is 99999999, but must be at most",
        "host = \"\" | embedded | host is blank",
        "max-running = 0 | embedded.max-running | but must be 1 to 4096",
        "max-waiting = -1 | embedded.max-waiting | but must be 0 to 65536",
        "time.factor = -1 | embedded.time.factor | is -1, but must be 0 to 1000",
        "kv-events.port = 65535 | embedded.kv-events.port | is 65535, but must be 0 to 65534",
        "faults.controlled = perhaps | embedded.faults.controlled | is perhaps, but must be on or"
            + " off"
      })
  void aBadValueIsRefusedWithItsPathAndTheAllowedRange(String line, String path, String words) {
    assertThatThrownBy(() -> Replicas.settings(line))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining("colony.inference." + path)
        .hasMessageContaining(words);
  }
}
