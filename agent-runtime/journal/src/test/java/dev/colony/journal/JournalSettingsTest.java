package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    "colony.agent.journal.redis-uri, ''",
    "colony.agent.journal.command-timeout, 0s",
    "colony.agent.journal.retry-delay, -1s",
    "colony.agent.journal.slots, 0",
    "colony.agent.journal.slots, 16385",
    "colony.agent.journal.connections, 0",
    "colony.agent.journal.replay-batch, 0",
    "colony.agent.journal.max-event-bytes, 0",
    "colony.agent.journal.max-event-bytes, 3GiB",
    "colony.agent.snapshot-store.max-bytes, 0",
    "colony.agent.history.keep, 0",
    "colony.agent.history.keep, 1001",
    "colony.agent.history.keep, some"
  })
  void aBadValueIsNamed(String path, String value) {
    assertThatThrownBy(() ->
            JournalSettings.fromConfig(
                ConfigFactory.parseString(path + " = \"" + value + "\"")
                    .withFallback(ConfigFactory.load())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(path)
        .hasMessageContaining("allowed is");
  }
}
