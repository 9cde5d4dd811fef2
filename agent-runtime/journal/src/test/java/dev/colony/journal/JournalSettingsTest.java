package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalSettingsTest {

  @Test
  void theDefaultsAreValid() {
    JournalSettings settings = JournalSettings.fromConfig(ConfigFactory.load());
    assertThat(settings.slots()).isEqualTo(64);
    assertThat(settings.commandTimeout()).isLessThan(Duration.ofSeconds(25));
  }

  @ParameterizedTest
  @CsvSource({
    "colony.agent.journal.command-timeout, 0s",
    "colony.agent.journal.slots, 0",
    "colony.agent.journal.slots, 16385",
    "colony.agent.journal.max-event-bytes, 0",
    "colony.agent.journal.max-event-bytes, 3GiB",
    "colony.agent.history.keep-for, 1ms"
  })
  void aBadValueIsNamed(String path, String value) {
    assertThatThrownBy(() -> read(path, value))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining(path)
        .hasMessageContaining("is " + value + ", but must be ");
  }

  @ParameterizedTest
  @CsvSource({
    "colony.agent.journal, redis-uri, ''",
    "colony.agent.history, keep, 0",
    "colony.agent.history, keep, 1001",
    "colony.agent.history, keep, some"
  })
  void aBadTextIsNamed(String section, String key, String value) {
    assertThatThrownBy(() -> read(section + "." + key, value))
        .isInstanceOf(ConfigException.BadValue.class)
        .hasMessageContaining(section)
        .hasMessageContaining(key + " is ")
        .hasMessageContaining("but must be ");
  }

  private static JournalSettings read(String path, String value) {
    return JournalSettings.fromConfig(
        ConfigFactory.parseString(path + " = \"" + value + "\"")
            .withFallback(ConfigFactory.load()));
  }
}
