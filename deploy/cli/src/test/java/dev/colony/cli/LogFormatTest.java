package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.cli.ColonyCommand.LogFormat;
import dev.colony.cli.terminal.CommandFailure;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFormatTest {

  @ParameterizedTest
  @ValueSource(strings = {"text", "json"})
  void theFormsThatThereAreAreTaken(String format) {
    assertThatCode(() -> LogFormat.check(Map.of("COLONY_LOG_FORMAT", format)))
        .doesNotThrowAnyException();
  }

  @Test
  void anUnknownFormIsRefusedBeforeItSilencesTheLog() {
    assertThatThrownBy(() -> LogFormat.check(Map.of("COLONY_LOG_FORMAT", "xml")))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("COLONY_LOG_FORMAT is xml, but must be one of text, json");
  }
}
