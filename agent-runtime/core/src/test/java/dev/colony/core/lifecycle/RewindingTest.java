package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs that are executed again from one of their steps on. */
class RewindingTest {

  private static final RunId RUN = LifeIn.RUN;

  /** An agent whose run has looked, paid and then ended. */
  private static Life paid(boolean retryable, ActionResult.Status became) {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(LifeIn.act("look"));
    pay(life, "pay", 10, retryable, became);
    life.tell(LifeIn.complete());
    life.live();
    assertThat(life.published).containsKey(RUN);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
    return life;
  }

  private static Action payment(String id, int amount) {
    return Action.of(id, "pay", JsonNodeFactory.instance.objectNode().put("amount", amount));
  }

  private static void pay(
      Life life, String id, int amount, boolean retryable, ActionResult.Status became) {
    Action action = payment(id, amount);
    ActionResult result =
        became == ActionResult.Status.SUCCEEDED
            ? ActionResult.succeeded(id, JsonNodeFactory.instance.textNode("receipt"))
            : ActionResult.unsuccessful(id, became, "no");
    assertThat(life.tell(new AgentCommand.IntendAction(action, retryable, StepDelta.NONE, Life.AT)))
        .isInstanceOf(Verdict.Journal.class);
    life.tell(LifeIn.step(ActionPolicyIterationResult.acted(action, result)));
  }

  private static ActiveRun active(Life life) {
    return life.state.active().orElseThrow();
  }

  @Test
  void whatStandsBeforeTheStepIsKeptAndWhatWasDoneSinceIsRemembered() {
    Life life = paid(false, ActionResult.Status.SUCCEEDED);
    assertThat(life.rewind("r1", 1, 2)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.outstanding()).isTrue();
    assertThat(life.accept("other")).isInstanceOf(Verdict.Busy.class);
    life.step();
    assertThat(life.published).isEmpty();
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    ActiveRun run = active(life);
    assertThat(run.stats().steps()).isEqualTo(1);
    assertThat(run.history()).extracting(call -> call.action().actionId()).containsExactly("look");
    Rewound rewound = run.rewound().orElseThrow();
    assertThat(rewound.attempt()).isEqualTo(2);
    Rewound.Deed deed = rewound.deed(payment("another", 10)).orElseThrow();
    assertThat(deed.settled()).isTrue();
    assertThat(deed.key()).isEqualTo("acme/billing/reviewer/r1/1/pay");
    assertThat(deed.result().output().asText()).isEqualTo("receipt");
    assertThat(rewound.deed(payment("pay", 20))).isEmpty();
    assertThat(Effects.stepName(Life.AGENT, life.state.queue().getFirst(), run))
        .isEqualTo("acme/billing/reviewer/r1@2/1");
    assertThat(run.key("acme/billing/reviewer/r1@2/1", payment("pay", 20)))
        .isEqualTo("acme/billing/reviewer/r1@2/1/pay");

    life.tell(
        LifeIn.step(
            ActionPolicyIterationResult.acted(payment("again", 10), deed.result().as("again"))));
    assertThat(active(life).rewound().orElseThrow().deeds()).isEmpty();
    life.live();
    assertThat(life.published).containsOnlyKeys(RUN);
    assertThat(life.state.finished()).containsExactly(RUN);
  }

  @Test
  void whatFailedOrIsNotKnownIsDoneAgainUnderItsKeyWhereItMayBe() {
    for (ActionResult.Status became : ActionResult.Status.values()) {
      for (boolean retryable : List.of(true, false)) {
        Life life = paid(retryable, became);
        life.rewind("r1", 1, 2);
        life.step();
        Optional<Rewound.Deed> deed = active(life).rewound().orElseThrow().deed(payment("x", 10));
        boolean unknown =
            became == ActionResult.Status.TIMED_OUT
                || became == ActionResult.Status.CANCELLED
                || became == ActionResult.Status.INTERRUPTED;
        boolean done = became == ActionResult.Status.SUCCEEDED;
        boolean failed = became == ActionResult.Status.FAILED;
        assertThat(deed.isPresent())
            .as("%s %s", became, retryable)
            .isEqualTo(done || unknown || failed && retryable);
        assertThat(deed.map(Rewound.Deed::settled))
            .as("%s %s", became, retryable)
            .isEqualTo(deed.map(one -> done || !retryable));
      }
    }
  }

  @Test
  void aSecondAttemptKnowsWhatTheFirstHasDoneAlsoBeforeItsOwnBeginning() {
    Life life = paid(false, ActionResult.Status.SUCCEEDED);
    life.rewind("r1", 2, 2);
    life.step();
    assertThat(active(life).rewound().orElseThrow().deeds()).isEmpty();
    pay(life, "more", 5, true, ActionResult.Status.SUCCEEDED);
    life.live();
    assertThat(life.rewind("r1", 0, 3)).isInstanceOf(Verdict.Journal.class);
    life.step();
    assertThat(active(life).rewound().orElseThrow().deeds())
        .extracting(Rewound.Deed::key)
        .containsExactly("acme/billing/reviewer/r1/1/pay", "acme/billing/reviewer/r1@2/2/more");
    assertThat(active(life).stats().steps()).isZero();
    assertThat(active(life).history()).isEmpty();
  }

  @Test
  void aRequestCountsOnceWhereverTheAgentDies() {
    for (int dies = 0; dies < 12; dies++) {
      Life life = paid(false, ActionResult.Status.SUCCEEDED);
      life.rewind("r1", 1, 2);
      for (int i = 0; i < dies && life.step(); i++) {}
      life.recover();
      assertThat(life.rewind("r1", 1, 2)).isInstanceOf(Verdict.Repeated.class);
      life.live();
      assertThat(life.rewind("r1", 1, 2)).isInstanceOf(Verdict.Repeated.class);
      assertThat(life.published).containsOnlyKeys(RUN);
      assertThat(life.journal.stream().filter(AgentEvent.RunAccepted.class::isInstance)).hasSize(2);
      assertThat(life.journal.stream().filter(AgentEvent.RunCompleted.class::isInstance))
          .hasSize(2);
      assertThat(life.state).isEqualTo(Life.replay(life.journal));
    }
  }

  @Test
  void itIsRefusedOnOneLine() {
    Life open = LifeIn.phase(Phase.ITERATING);
    assertThat(open.rewind("r1", 0, 2)).isInstanceOf(Verdict.Refused.class);
    assertThat(open.past(RUN, 0).refusal())
        .hasValueSatisfying(why -> assertThat(why).contains("run r1 is under way"));
    open.tell(LifeIn.complete());
    open.live();
    open.accept("r2");
    open.live();
    assertThat(open.rewind("r1", 0, 2))
        .isEqualTo(
            new Verdict.Refused(
                "run r1 is not the last that the agent has ended, which is r2: fork the agent"
                    + " where it was to go on from there"));
    assertThat(open.rewind("r2", 0, 3))
        .isEqualTo(new Verdict.Refused("the next attempt of run r2 is 2"));

    Life life = paid(false, ActionResult.Status.SUCCEEDED);
    assertThat(life.past(RUN, 4).past(2))
        .isEqualTo(
            new Rewinding.Past.Missing("run r1 took 2 steps: it is rewound to one from 0 to 2"));
    assertThat(life.past(new RunId("none"), 0).past(2))
        .isEqualTo(
            new Rewinding.Past.Missing("the agent's history does not reach back to run none"));
    life.command(LifecycleCommand.STOP);
    assertThat(life.rewind("r1", 0, 2)).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void whatIsNoLongerInTheHistoryLeavesTheRunAsItIs() {
    Life life = paid(false, ActionResult.Status.SUCCEEDED);
    life.rewind("r1", 1, 2);
    life.tell(new AgentCommand.CompleteRewind(new Rewinding.Past.Missing("it is gone"), Life.AT));
    assertThat(life.state.outstanding()).isFalse();
    assertThat(life.state.finished()).containsExactly(RUN);
    assertThat(life.journal.getLast()).isInstanceOf(AgentEvent.RewindRefused.class);
    assertThat(life.rewind("r1", 1, 2)).isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void aLargePastComesInParts() {
    List<Rewound.Deed> deeds =
        IntStream.range(0, 20)
            .mapToObj(i ->
                new Rewound.Deed(
                    payment("p" + i, i),
                    "key" + i,
                    true,
                    ActionResult.succeeded(
                        "p" + i, JsonNodeFactory.instance.textNode("x".repeat(900)))))
            .toList();
    ForkSeed whole =
        new ForkSeed(
                Life.AGENT,
                7,
                null,
                1,
                SharedActionHistory.of(
                    List.of(
                        new ActionCall(
                            payment("p", 1),
                            ActionResult.succeeded("p", JsonNodeFactory.instance.nullNode())))),
                null)
            .rewound(new Rewound(3, RunStats.NONE, deeds));
    List<ForkSeed> parts = whole.parts(2_000);
    assertThat(parts).hasSizeGreaterThan(5);
    assertThat(parts.stream().reduce(ForkSeed::plus)).contains(whole);
  }
}
