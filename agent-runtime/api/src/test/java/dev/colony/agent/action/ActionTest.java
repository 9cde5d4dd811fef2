package dev.colony.agent.action;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActionTest {

  @ParameterizedTest
  @CsvSource({
    "pay, pay, pay~2",
    "pay~2, pay, pay~3",
    "pay~9999, pay, pay~10000",
    "pay~10000, pay~10000, pay~10000~2",
    "pay~02, pay~02, pay~02~2",
    "pay~, pay~, pay~~2",
    "~2, ~2, ~2~2",
    "pay~2~3, pay~2, pay~2~4",
    "pay~x, pay~x, pay~x~2"
  })
  void aRepetitionIsNumberedBehindTheFirstId(String id, String first, String next) {
    assertThat(Action.firstId(id)).isEqualTo(first);
    assertThat(Action.of(id, "purse.pay", null).next().actionId()).isEqualTo(next);
  }
}
