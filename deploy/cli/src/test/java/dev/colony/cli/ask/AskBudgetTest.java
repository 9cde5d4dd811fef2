package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.cli.ask.AskRecord.AskBudget;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets as they are written. */
class AskBudgetTest {

  @ParameterizedTest
  @CsvSource({"5000, 5000", "200k, 200000", "1.5M, 1500000", "2 k, 2000"})
  void tokens(String word, long tokens) {
    assertThat(AskBudget.of(word))
        .isEqualTo(new AskBudget(Optional.of(tokens), Optional.empty(), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({"1.50usd, 1.50", "$0.25, 0.25", "3EUR, 3"})
  void money(String word, BigDecimal cost) {
    assertThat(AskBudget.of(word).cost()).hasValue(cost);
  }

  @ParameterizedTest
  @CsvSource({"90s, PT90S", "5m, PT5M", "1.5h, PT90M"})
  void time(String word, Duration time) {
    Instant now = Instant.parse("2026-11-26T00:00:00Z");
    assertThat(AskBudget.of(word).from(now))
        .isEqualTo(
            new TraceBudget(Optional.empty(), Optional.empty(), Optional.of(now.plus(time))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "0k", "-5", "5x", "1.5", "k", "$5usd", "1e9", "five", "12345678901234"})
  void whatIsNoneIsRefusedInOneLine(String word) {
    assertThatThrownBy(() -> AskBudget.of(word))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("a budget is tokens as in 200k")
        .hasMessageEndingWith("not: " + word);
  }

  @Test
  void theSmallestTimeIsAMoment() {
    assertThat(AskBudget.of("0.000001s").time()).hasValue(Duration.ofMillis(1));
  }
}
