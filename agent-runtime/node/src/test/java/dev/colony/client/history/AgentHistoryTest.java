package dev.colony.client.history;

import static dev.colony.client.history.WrittenAgent.LIFECYCLE;
import static dev.colony.client.history.WrittenAgent.answered;
import static dev.colony.client.history.WrittenAgent.ended;
import static dev.colony.client.history.WrittenAgent.stepped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.RunId;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.StepView;
import dev.colony.client.history.AgentHistory.Wanted;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent did, page by page. */
class AgentHistoryTest {

  private WrittenAgent agent;
  private AgentHistory history;

  private void begin(int snapshotEvery, String keep) {
    agent = new WrittenAgent(snapshotEvery, keep);
    history = new AgentHistory(agent.reader(), LIFECYCLE);
    agent.journal(agent.born());
  }

  @AfterEach
  void end() {
    agent.close();
  }

  @Test
  void stepsNameTheirRunsActionsTokensAndTimes() {
    begin(10, "all");
    agent.journal(agent.accepted("r0"));
    agent.journal(stepped(0, 0));
    agent.journal(stepped(0, 1));
    agent.journal(ended("r0"));
    agent.journal(agent.accepted("r1"));
    agent.journal(stepped(1, 0));

    List<StepView> all = last(10).steps();
    assertThat(all)
        .extracting(step -> step.run().orElseThrow() + "#" + step.step())
        .containsExactly("r0#0", "r0#1", "r1#0");
    StepView last = all.getLast();
    assertThat(last.sequenceNr()).isEqualTo(agent.written());
    assertThat(last.actions().getFirst().key()).isEqualTo("test.do");
    assertThat(last.actions().getFirst().output()).isEqualTo(IntNode.valueOf(100));
    assertThat(last.modelCalls()).isEqualTo(1);
    assertThat(last.usage()).isEqualTo(new Usage(11, 1, 7));
    assertThat(last.cost()).isEqualByComparingTo("0.75");
    assertThat(last.models()).containsExactly("large (gpt-5)", "tiny");
    assertThat(last.tookMillis()).contains(1_000L);
    assertThat(last(1).steps()).containsExactly(last);
    assertThat(last(2).steps()).isEqualTo(all.subList(1, 3));
  }

  @Test
  void whatBefellTheAgentBesideItsStepsStandsBetweenThem() {
    begin(10, "all");
    agent.journal(agent.accepted("r0"));
    agent.journal(stepped(0, 0));
    agent.journal(new AgentEvent.Claimed(2, "node-2", WrittenAgent.START));
    agent.journal(ended("r0"));
    HistoryPage page =
        history.older(agent.id, Optional.empty(), 100, Wanted.ALL).toCompletableFuture().join();
    assertThat(page.entries())
        .extracting(AgentHistoryTest::kind)
        .containsExactly(
            "Spawned", "Claimed", "RunAccepted", "StepView", "Claimed", "RunCompleted");
    assertThat(page.older()).isEmpty();
    assertThat(page.entries())
        .filteredOn(one -> kind(one).startsWith("Run"))
        .allMatch(one -> one.run().equals(Optional.of(new RunId("r0"))));
  }

  /** Whatever the size of the pages: together they are the same history. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 50})
  void pagesInBothDirectionsAreOneHistory(int size) {
    begin(25, "all");
    for (int run = 0; run < 6; run++) {
      agent.journal(agent.accepted("r" + run));
      for (int step = 0; step < 4 * run; step++) {
        if (step % 3 == 0) {
          agent.journal(new AgentEvent.Claimed(2 + step, "node", WrittenAgent.START));
        }
        agent.journal(stepped(run, step));
      }
      if (run < 5) {
        agent.journal(ended("r" + run));
      }
    }
    for (Wanted wanted : Wanted.values()) {
      List<HistoryEntry> whole =
          history
              .older(agent.id, Optional.empty(), 1_000, wanted)
              .toCompletableFuture()
              .join()
              .entries();
      assertThat(whole)
          .filteredOn(StepView.class::isInstance)
          .hasSize(4 * (1 + 2 + 3 + 4 + 5))
          .allMatch(one -> one.run().isPresent());
      List<HistoryEntry> backwards = new ArrayList<>();
      Optional<HistoryPosition> at = Optional.of(HistoryPosition.after(agent.written()));
      while (at.isPresent()) {
        HistoryPage page =
            history
                .older(agent.id, at.map(AgentHistoryTest::sent), size, wanted)
                .toCompletableFuture()
                .join();
        backwards.addAll(0, page.entries());
        at = page.older();
      }
      assertThat(backwards).isEqualTo(whole);
    }
  }

  /** A step of many records, so that the first stretch that is read holds too few steps. */
  @Test
  void asManyStepsAsAskedForAreFoundWhateverTheyTook() {
    begin(1_000, "all");
    agent.journal(agent.accepted("r0"));
    for (int step = 0; step < 3; step++) {
      agent.journal(
          IntStream.range(0, 40).mapToObj(i -> answered("call" + i)).toArray(AgentEvent[]::new));
      agent.journal(stepped(0, step));
    }
    assertThat(last(1).steps()).extracting(StepView::modelCalls).containsExactly(41);
    assertThat(last(9).steps()).extracting(StepView::modelCalls).containsExactly(41, 41, 41);
  }

  @Test
  void aStepOfWhichTheJournalHoldsTheEndOnlyIsLeftOut() {
    begin(10, "2");
    agent.journal(agent.accepted("r0"));
    for (int run = 0; run < 50; run++) {
      agent.journal(answered("one"), answered("two"));
      agent.journal(stepped(run, 0));
      agent.journal(ended("r" + run));
      agent.journal(agent.accepted("r" + (run + 1)));
    }
    await()
        .untilAsserted(() -> {
          List<StepView> held = last(1_000).steps();
          assertThat(held).isNotEmpty().hasSizeLessThan(15);
          assertThat(held).allMatch(step -> step.modelCalls() == 3);
          assertThat(held.getLast().run()).contains(new RunId("r49"));
        });
  }

  @Test
  void anAgentWithoutAPastHasAnEmptyOne() {
    begin(10, "all");
    HistoryPage page =
        history
            .older(
                new dev.colony.agent.AgentId("acme", "no", "one"), Optional.empty(), 3, Wanted.ALL)
            .toCompletableFuture()
            .join();
    assertThat(page.entries()).isEmpty();
    assertThat(page.older()).isEmpty();
  }

  @Test
  void aPlaceThatIsNoneIsRefused() {
    begin(10, "all");
    assertThat(HistoryPosition.parse("12")).isEqualTo(HistoryPosition.after(12));
    for (String wrong : List.of("", "-1", "x", "1@", "1@a b", "9999999999999999999")) {
      assertThatThrownBy(() -> HistoryPosition.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** As it comes back from a caller. */
  private static HistoryPosition sent(HistoryPosition position) {
    return HistoryPosition.parse(position.token());
  }

  private static String kind(HistoryEntry entry) {
    return entry.getClass().getSimpleName();
  }

  private HistoryPage last(int count) {
    return history
        .older(agent.id, Optional.empty(), count, Wanted.STEPS)
        .toCompletableFuture()
        .join();
  }
}
