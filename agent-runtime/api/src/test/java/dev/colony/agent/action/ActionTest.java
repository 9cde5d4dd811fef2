package dev.colony.agent.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.Decision;
import org.junit.jupiter.api.Test;
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

  @Test
  void parametersAreGivenByNameInOneLine() {
    assertThat(Action.of("a1", "pay", "to", "ann", "sum", 3, "from", Ref.parse("$purse").get()))
        .isEqualTo(
            Action.of(
                "a1",
                "pay",
                JsonNodeFactory.instance
                    .objectNode()
                    .put("to", "ann")
                    .put("sum", 3)
                    .put("from", "$purse")));
    assertThat(Decision.act("a1", "pay", "to", "ann"))
        .isEqualTo(new Decision.Act(Action.of("a1", "pay", "to", "ann")));
    assertThatThrownBy(() -> Action.of("a1", "pay", "to", "ann", "sum"))
        .hasMessage("the last parameter of pay has no value");
    assertThatThrownBy(() -> Action.of("a1", "pay", "to", "ann", 3, "sum"))
        .hasMessage("the name of a parameter of pay is a text, not 3");
  }
}
