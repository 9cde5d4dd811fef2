package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallsTest {

  private static final ActionCall A = call("a");
  private static final ActionCall B = call("b");
  private static final ActionCall C = call("c");

  @Test
  void listsGrownFromOneAnotherKeepTheirOwnElements() {
    Calls one = Calls.none().plus(A);
    Calls withB = one.plus(B);
    Calls withC = one.plus(C);
    assertThat(one).containsExactly(A);
    assertThat(withB).containsExactly(A, B);
    assertThat(withC).containsExactly(A, C);
    assertThat(withB.plus(C)).containsExactly(A, B, C);
  }

  @Test
  void aListKnowsTheActionsOfItsOwnBeginningOnly() {
    Calls one = Calls.none().plus(A);
    Calls two = one.plus(B);
    assertThat(one.contains("a")).isTrue();
    assertThat(one.contains("b")).isFalse();
    assertThat(two.contains("b")).isTrue();
    assertThatThrownBy(() -> one.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aListThatWasReadBackGrows() {
    assertThat(Calls.of(List.of(A)).plus(B)).containsExactly(A, B);
  }

  private static ActionCall call(String id) {
    return new ActionCall(
        Action.of(id, "echo", JsonNodeFactory.instance.objectNode()),
        ActionResult.failed(id, "no"));
  }
}
