package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.ActionOutcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomesTest {

  private static final ActionOutcome A = ActionOutcome.failed("a", "no");
  private static final ActionOutcome B = ActionOutcome.failed("b", "no");
  private static final ActionOutcome C = ActionOutcome.failed("c", "no");

  @Test
  void listsGrownFromOneAnotherKeepTheirOwnElements() {
    Outcomes one = Outcomes.none().plus(A);
    Outcomes withB = one.plus(B);
    Outcomes withC = one.plus(C);
    assertThat(one).containsExactly(A);
    assertThat(withB).containsExactly(A, B);
    assertThat(withC).containsExactly(A, C);
    assertThat(withB.plus(C)).containsExactly(A, B, C);
  }

  @Test
  void aListKnowsTheActionsOfItsOwnBeginningOnly() {
    Outcomes one = Outcomes.none().plus(A);
    Outcomes two = one.plus(B);
    assertThat(one.contains("a")).isTrue();
    assertThat(one.contains("b")).isFalse();
    assertThat(two.contains("b")).isTrue();
    assertThatThrownBy(() -> one.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aListThatWasReadBackGrows() {
    assertThat(Outcomes.of(List.of(A)).plus(B)).containsExactly(A, B);
  }
}
