package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hints with an executor whose tasks run when the test runs them. */
class InboxHintsTest {

  private final List<Runnable> due = new ArrayList<>();
  private final InboxHints hints = new InboxHints(due::add);
  private final List<Integer> heard = new ArrayList<>();

  private void run() {
    while (!due.isEmpty()) {
      due.removeFirst().run();
    }
  }

  @Test
  void manyHintsBecomeOneCallForEachBucket() {
    hints.listen(heard::add);
    List.of(3, 1, 3, 3, 1).forEach(hints::hint);
    assertThat(due).hasSize(1);
    run();
    assertThat(heard).containsExactly(1, 3);
    hints.hint(3);
    run();
    assertThat(heard).containsExactly(1, 3, 3);
  }

  @Test
  void hintThatComesWhileTheListenersAreCalledIsNotLost() {
    hints.listen(bucket -> {
      heard.add(bucket);
      if (heard.size() < 3) {
        hints.hint(bucket);
      }
    });
    hints.hint(7);
    run();
    assertThat(heard).containsExactly(7, 7, 7);
  }

  @Test
  void listenerThatFailsKeepsNobodyFromHearing() {
    hints.listen(bucket -> {
      throw new IllegalStateException("on purpose");
    });
    hints.listen(heard::add);
    hints.hint(1);
    hints.hint(2);
    run();
    assertThat(heard).containsExactly(1, 2);
  }

  @Test
  void nobodyIsHintedBeforeItListensOrAfterItHasLeft() throws Exception {
    hints.hint(1);
    AutoCloseable listening = hints.listen(heard::add);
    run();
    hints.hint(2);
    run();
    listening.close();
    hints.hint(3);
    run();
    assertThat(heard).containsExactly(2);
  }
}
