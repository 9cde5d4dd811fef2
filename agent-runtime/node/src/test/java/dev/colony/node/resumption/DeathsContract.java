package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.all;
import static dev.colony.node.resumption.ResumptionFixture.NOW;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.page;
import static dev.colony.node.resumption.ResumptionFixture.suspension;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Event;
import dev.colony.agent.ResumptionCondition.PagesAvailable;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A node that enters and evaluates may die at any of its operations. */
abstract class DeathsContract extends ResumptionsContract {

  /** At every how many operations a node dies; odd. */
  abstract int stride();

  /** The node that enters dies at each of its operations; the agent has it entered again. */
  @Test
  void anEntryIsFinishedWhoeverDiesInIt() {
    ResumptionCondition until =
        all(
            new ChildrenCompleted(List.of(b)),
            new PagesAvailable(List.of(page(1))),
            new Event(it.scope, new KeyGlob("x:*")),
            new Custom("go"));
    it.isIn(b, AgentState.RUNNING);
    int deaths = 0;
    for (boolean died = true; died; deaths++) {
      AgentId one = it.agent("one-" + deaths);
      it.boards.dieAfter(deaths);
      died = fails(it.resumptions.enter(one, suspension(1, until)));
      it.boards.live();
      it.enter(one, 1, until);
    }
    assertThat(deaths).isGreaterThan(5);
    it.happened(new Trigger.Signalled(a, "go"));
    for (int i = 0; i < deaths; i++) {
      it.happened(new Trigger.Signalled(it.agent("one-" + i), "go"));
    }
    it.write("someone", "x:1");
    it.deliverWakes();
    it.arrives(page(1));
    it.ends(b);
    for (int i = 0; i < deaths; i++) {
      it.assertWoken(it.agent("one-" + i), 1L);
    }
  }

  /** The node that is told of a signal dies at each of its operations; another is told of it. */
  @Test
  void aSuspensionEndsByASignalWhoeverDiesOverIt() {
    int deaths = 0;
    for (boolean died = true; died; deaths++) {
      AgentId one = it.agent("one-" + deaths);
      it.enter(one, 1, all(new Custom("go"), new Custom("on")));
      it.boards.dieAfter(deaths);
      died = fails(it.resumptions.due(new Trigger.Signalled(one, "go")));
      it.boards.live();
      it.due(new Trigger.Signalled(one, "go"));
      assertThat(it.due(new Trigger.Signalled(one, "on"))).as("died after " + deaths).hasValue(1);
    }
    assertThat(deaths).isGreaterThan(2);
  }

  /** The node that evaluates dies at each of its operations; another is told, or only the sweep. */
  @Test
  void anAgentIsWokenWhoeverDiesInTheEvaluation() {
    int deaths = 0;
    for (boolean died = true; died; deaths += stride()) {
      AgentId told = it.agent("told-" + deaths);
      AgentId swept = it.agent("swept-" + deaths);
      AgentId ending = it.agent("ending-" + deaths);
      it.isIn(ending, AgentState.RUNNING);
      it.enter(told, 1, new ChildrenCompleted(List.of(ending)));
      it.enter(swept, 1, new ChildrenCompleted(List.of(ending)));
      it.isIn(ending, AgentState.STOPPED);
      it.boards.dieAfter(deaths);
      died = fails(it.resumptions.happened(new Trigger.AgentEnded(ending)));
      it.boards.live();
      if (deaths % 2 == 0) {
        it.sweep();
      } else {
        it.happened(new Trigger.AgentEnded(ending));
      }
      // A second wake-up of the same suspension is refused by its number.
      assertThat(Set.copyOf(it.met(told))).as("died after " + deaths).containsExactly(1L);
      assertThat(Set.copyOf(it.met(swept))).as("died after " + deaths).containsExactly(1L);
      join(it.resumptions.leave(told, 1));
      join(it.resumptions.leave(swept, 1));
    }
    assertThat(deaths).isGreaterThan(5);
    assertThat(it.left()).isEmpty();
  }

  /** The node that looks at the times dies at each of its operations; the next one looks again. */
  @Test
  void aTimeIsNotMissedWhoeverDiesLookingAtIt() {
    int deaths = 0;
    for (boolean died = true; died; deaths += stride()) {
      AgentId one = it.agent("one-" + deaths);
      AgentId two = it.agent("two-" + deaths);
      it.now = NOW;
      it.enter(one, 1, new At(NOW.plusSeconds(1)));
      it.enter(two, 1, all(new At(NOW.plusSeconds(1)), new Custom("go")));
      it.now = NOW.plusSeconds(2);
      it.boards.dieAfter(deaths);
      died = fails(it.rounds.due());
      it.boards.live();
      // What other tests of this server wait for may be still to come.
      assertThat(join(it.rounds.due()).filter(next -> !next.isAfter(it.now))).isEmpty();
      it.now = NOW;
      it.happened(new Trigger.Signalled(two, "go"));
      assertThat(Set.copyOf(it.met(one))).as("died after " + deaths).containsExactly(1L);
      assertThat(Set.copyOf(it.met(two))).as("died after " + deaths).containsExactly(1L);
      join(it.resumptions.leave(one, 1));
      join(it.resumptions.leave(two, 1));
    }
    assertThat(deaths).isGreaterThan(WaitIndexKeys.BUCKETS);
    assertThat(it.left()).isEmpty();
  }

  private static boolean fails(CompletionStage<?> stage) {
    return stage.handle((done, failure) -> failure != null).toCompletableFuture().join();
  }
}
