package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedActionHistoryTest {

  private static final ActionCall A = call("a");
  private static final ActionCall B = call("b");
  private static final ActionCall C = call("c");

  @Test
  void listsGrownFromOneAnotherKeepTheirOwnElements() {
    SharedActionHistory one = SharedActionHistory.none().plus(A);
    SharedActionHistory withB = one.plus(B);
    SharedActionHistory withC = one.plus(C);
    assertThat(one).containsExactly(A);
    assertThat(withB).containsExactly(A, B);
    assertThat(withC).containsExactly(A, C);
    assertThat(withB.plus(C)).containsExactly(A, B, C);
  }

  @Test
  void aListKnowsTheActionsOfItsOwnBeginningOnly() {
    SharedActionHistory one = SharedActionHistory.none().plus(A);
    SharedActionHistory two = one.plus(B);
    assertThat(one.contains("a")).isTrue();
    assertThat(one.contains("b")).isFalse();
    assertThat(two.contains("b")).isTrue();
    assertThatThrownBy(() -> one.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aListThatWasReadBackGrows() {
    assertThat(SharedActionHistory.of(List.of(A)).plus(B)).containsExactly(A, B);
  }

  @Test
  void theNewestAreThoseThatFitAndTheLastOneAlways() {
    SharedActionHistory all = SharedActionHistory.none().plus(A).plus(B).plus(C);
    long each = StepSize.of(A);
    assertThat(all.newest(3 * each)).isEqualTo(all);
    assertThat(all.newest(3 * each - 1)).containsExactly(B, C);
    assertThat(all.newest(1)).containsExactly(C);
    assertThat(SharedActionHistory.none().newest(1)).isEmpty();
    SharedActionHistory two = all.newest(2 * each);
    assertThat(two.contains("a")).isFalse();
    assertThat(two.contains("b")).isTrue();
    assertThat(two.get(0)).isEqualTo(B);
    assertThatThrownBy(() -> two.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> two.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(all).containsExactly(A, B, C);
  }

  /** An id that was let go of may come again, and each list knows its own. */
  @Test
  void anIdThatWasLetGoOfComesAgain() {
    SharedActionHistory two = SharedActionHistory.none().plus(A).plus(B);
    SharedActionHistory later = two.newest(1).plus(A);
    assertThat(later).containsExactly(B, A);
    assertThat(later.contains("a")).isTrue();
    assertThat(two.contains("a")).isTrue();
    assertThat(two.plus(C)).containsExactly(A, B, C);
  }

  /** An action is found by its id, and by the id under which it was dispatched first. */
  @Test
  void theLatestExecutionOfAnActionIsFoundByItsFirstId() {
    SharedActionHistory once = SharedActionHistory.none().plus(A).plus(B);
    SharedActionHistory twice = once.plus(call("a~2"));
    SharedActionHistory thrice = twice.plus(C).plus(call("a~3"));
    assertThat(once.latest("a")).contains(A);
    assertThat(twice.latest("a")).contains(call("a~2"));
    assertThat(thrice.latest("a")).contains(call("a~3"));
    assertThat(thrice.latest("a~2")).contains(call("a~2"));
    assertThat(thrice.call("a")).contains(A);
    assertThat(thrice.newest(1).latest("a")).contains(call("a~3"));
    assertThat(thrice.newest(1).call("a")).isEmpty();
    assertThat(thrice.newest(1).latest("c")).isEmpty();
    assertThat(once.latest("absent")).isEmpty();
  }

  @Test
  void whatAsksForAPersonIsPendingUntilItIsDispatchedAgain() {
    SharedActionHistory asking =
        SharedActionHistory.none().plus(asks("hire")).plus(A).plus(asks("pay"));
    assertThat(asking.pending()).containsExactly(asks("hire"), asks("pay"));
    assertThat(asking.plus(call("pay~2")).pending()).containsExactly(asks("hire"));
    assertThat(asking.plus(asks("hire~2")).pending()).containsExactly(asks("hire~2"), asks("pay"));
    assertThat(asking.newest(1).pending()).containsExactly(asks("pay"));
  }

  /** However it is stored, copied and read back, a window is the same. */
  @Test
  void aLongRunKeepsAWindowAndReplayingItGivesTheSame() {
    long most = 10 * StepSize.of(call("n-00000"));
    SharedActionHistory live = SharedActionHistory.none();
    SharedActionHistory restored = SharedActionHistory.none();
    for (int i = 0; i < 10_000; i++) {
      ActionCall next = call("n-%05d".formatted(i));
      live = live.plus(next).newest(most);
      restored =
          (i % 7 == 0 ? SharedActionHistory.of(List.copyOf(restored)) : restored)
              .plus(next)
              .newest(most);
      assertThat(live).hasSizeLessThanOrEqualTo(10);
    }
    assertThat(live).isEqualTo(restored).hasSize(10).last().isEqualTo(call("n-09999"));
  }

  private static ActionCall asks(String id) {
    return new ActionCall(
        Action.of(id, "echo", JsonNodeFactory.instance.objectNode()),
        ActionResult.blocked(id, "asks", new Approved(id + "-1")));
  }

  private static ActionCall call(String id) {
    return new ActionCall(
        Action.of(id, "echo", JsonNodeFactory.instance.objectNode()),
        ActionResult.failed(id, "no"));
  }
}
