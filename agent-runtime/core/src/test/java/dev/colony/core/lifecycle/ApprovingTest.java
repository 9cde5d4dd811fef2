package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people answer, and what follows from it. */
class ApprovingTest {

  private static final ResumptionCondition LEAD = new ResumptionCondition.Approved("lead");
  private static final ResumptionCondition SIGNAL = new ResumptionCondition.Custom("go");

  @Test
  void anAnswerEndsTheWaitAndStaysWithTheRun() {
    for (boolean granted : new boolean[] {true, false}) {
      Life life = asking(LEAD);
      life.live();
      assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
      assertThat(life.answer("lead", granted)).isInstanceOf(Verdict.Journal.class);
      assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
      assertThat(life.state.active().orElseThrow().approvals())
          .containsEntry("lead", new Approval("lead", granted, "boss", "well", Life.AT));
      life.live();
      life.accept("r2");
      assertThat(life.state.active().orElseThrow().approvals()).isEmpty();
    }
  }

  @Test
  void theSameAnswerAgainMakesNoDifference() {
    Life life = asking(LEAD);
    life.live();
    life.answer("lead", true);
    life.pass(Duration.ofSeconds(1));
    assertThat(life.answer("lead", true)).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.answer("lead", false)).isEqualTo(new Verdict.Refused("no run asks for lead"));
  }

  @Test
  void whoAsksAgainIsAnsweredAgain() {
    Life life = asking(LEAD);
    life.live();
    life.answer("lead", true);
    life.tell(LifeIn.step(ActionPolicyIterationResult.blocked("asks again", LEAD)));
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.answer("lead", true)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
  }

  @Test
  void whatNobodyAsksForIsRefused() {
    for (Phase phase : List.of(Phase.RESTING, Phase.ITERATING, Phase.BLOCKED, Phase.ENDED)) {
      assertThat(LifeIn.phase(phase).answer("lead", true))
          .isEqualTo(new Verdict.Refused("no run asks for lead"));
    }
    Life life = asking(LEAD);
    assertThat(life.answer("other", true)).isEqualTo(new Verdict.Refused("no run asks for other"));
    assertThat(life.answer(Grants.BUDGET, true)).isInstanceOf(Verdict.Refused.class);
  }

  /** A word for what was asked for before under the same name comes late, or again. */
  @Test
  void whatWasSaidBeforeItWasAskedForIsNoAnswer() {
    ResumptionCondition since =
        new ResumptionCondition.Approved("lead", Optional.of(new Position(5, 5)));
    Life waiting = asking(since);
    Life suspended = asking(since);
    suspended.live();
    Life byHand = LifeIn.phase(Phase.ITERATING);
    byHand.suspend(SuspensionCause.EXPLICIT, Optional.of(ResumptionCondition.any(SIGNAL, since)));
    Life goneOn = LifeIn.phase(Phase.ITERATING);
    goneOn.tell(
        LifeIn.step(
            ActionPolicyIterationResult.acted(
                Action.of("a0", "pay", null), ActionResult.blocked("a0", "asks", since))));
    goneOn.command(LifecycleCommand.UNBLOCK);
    for (Life life : List.of(waiting, suspended, byHand, goneOn)) {
      AgentSnapshot before = life.state;
      for (Position said : List.of(new Position(4, 9), new Position(5, 5))) {
        assertThat(life.answer("lead", true, said)).isInstanceOf(Verdict.Refused.class);
        assertThat(life.state).isEqualTo(before);
      }
      assertThat(life.answer("lead", true, new Position(5, 6))).isInstanceOf(Verdict.Journal.class);
      assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
      assertThat(life.state.active().orElseThrow().approvals()).containsKey("lead");
    }
  }

  @Test
  void anAnswerThatComesBeforeTheAgentIsSuspendedUnblocksTheRun() {
    Life life = asking(LEAD);
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    life.answer("lead", true);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
  }

  @Test
  void anAnswerThatIsNotAllThatIsWaitedForIsKept() {
    Life life = asking(ResumptionCondition.all(SIGNAL, LEAD));
    life.live();
    assertThat(life.answer("lead", true)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.state.active().orElseThrow().approvals()).containsKey("lead");
  }

  @Test
  void anAnswerReachesARunWhoseAgentSomebodyHasSuspended() {
    Life life = asking(LEAD);
    life.live();
    life.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    life.answer("lead", true);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    life.command(LifecycleCommand.RESUME);
    assertThat(life.state.active().orElseThrow().approvals()).containsKey("lead");
  }

  @Test
  void whoeverSuspendedAnAgentMayAskToo() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(SuspensionCause.EXPLICIT, Optional.of(ResumptionCondition.any(SIGNAL, LEAD)));
    life.answer("lead", false);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Test
  void anActionThatAskedIsAnsweredThoughTheRunGoesOnForAnotherReason() {
    Life life = LifeIn.phase(Phase.ITERATING);
    Action action = Action.of("a0", "pay", null);
    life.tell(
        LifeIn.step(
            ActionPolicyIterationResult.acted(action, ActionResult.blocked("a0", "asks", LEAD))));
    life.command(LifecycleCommand.UNBLOCK);
    assertThat(life.answer("lead", true)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.answer("lead", false)).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void aRunIsToldSoMuchAndNoMore() {
    Life life = LifeIn.phase(Phase.ITERATING);
    for (String request : List.of("a", "b", "c", "d")) {
      ResumptionCondition asked = new ResumptionCondition.Approved(request);
      life.tell(LifeIn.step(ActionPolicyIterationResult.blocked("asks", asked)));
      Verdict verdict = life.answer(request, true);
      assertThat(verdict)
          .isInstanceOf(request.equals("d") ? Verdict.Refused.class : Verdict.Journal.class);
    }
    assertThat(life.state.active().orElseThrow().approvals()).hasSize(3);
  }

  @Test
  void aRunThatHasSpentItsBudgetAsksForMore() {
    for (RunBudget budget :
        List.of(
            RunBudget.OF_NODE.iterations(1),
            RunBudget.OF_NODE.tokens(3),
            RunBudget.OF_NODE.cost(new BigDecimal("0.0000125")))) {
      Life life = spent(budget);
      assertThat(life.state.suspension().orElseThrow().cause()).isEqualTo(SuspensionCause.BUDGET);
      assertThat(life.state.suspension().orElseThrow().until())
          .contains(new ResumptionCondition.Approved(Grants.BUDGET));
      assertThat(life.answer(Grants.BUDGET, true)).isInstanceOf(Verdict.Journal.class);
      assertThat(life.answer(Grants.BUDGET, true)).isInstanceOf(Verdict.Refused.class);
      assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
      life.live();
      assertThat(life.state.state()).as("spent again").isEqualTo(AgentState.SUSPENDED);
      assertThat(life.state.active().orElseThrow().stats().steps()).isEqualTo(2);
      life.answer(Grants.BUDGET, true);
      life.live();
      assertThat(life.published.get(LifeIn.RUN).status()).isEqualTo(AgentRun.Status.COMPLETED);
    }
  }

  @Test
  void aRunThatIsDeniedMoreFails() {
    Life life = spent(RunBudget.OF_NODE.iterations(1));
    life.answer(Grants.BUDGET, false);
    life.live();
    assertThat(life.published.get(LifeIn.RUN).error())
        .contains("the run took 1 iterations, as many as it may; more was denied by boss: well");
  }

  @Test
  void whoeverIsResumedWithoutAnAnswerAsksAgain() {
    Life life = spent(RunBudget.OF_NODE.iterations(1));
    life.command(LifecycleCommand.RESUME);
    life.live();
    assertThat(life.state.suspension().orElseThrow().number()).isEqualTo(2);
  }

  @Test
  void aStepWithinWhichTheBudgetIsSpentIsExecutedAgainWithTheAnswersThatItHad() {
    Life life = begun(RunBudget.OF_NODE.tokens(7), Script.of(Script.Step.of(Script.Act.INTERNAL)));
    life.tell(LifeIn.answer("before0"));
    life.live();
    assertThat(life.state.suspension().orElseThrow().cause()).isEqualTo(SuspensionCause.BUDGET);
    assertThat(life.state.active().orElseThrow().replies()).hasSize(1);
    life.answer(Grants.BUDGET, true);
    assertThat(life.work())
        .isInstanceOfSatisfying(
            AgentEffect.Iterate.class, iterate -> assertThat(iterate.run().replies()).hasSize(1));
    life.live();
    assertThat(life.published.get(LifeIn.RUN).stats().modelCalls()).isEqualTo(1);
  }

  @Test
  void anActionThatACrashCutOffIsFinishedThoughTheBudgetIsSpent() {
    Life life = begun(RunBudget.OF_NODE.tokens(1), Script.of(Script.Step.of(Script.Act.RETRYABLE)));
    life.tell(new AgentCommand.IntendAction(LifeIn.ACTION, true, StepDelta.NONE, Life.AT));
    life.tell(LifeIn.answer("after"));
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.FinishIntended.class);
    life.live();
    assertThat(life.state.suspension().orElseThrow().cause()).isEqualTo(SuspensionCause.BUDGET);
  }

  @Test
  void noAnswerGivesARunMoreTime() {
    Life life =
        begun(
            RunBudget.OF_NODE.time(Duration.ofMinutes(1)),
            Script.of(Script.Step.of(Script.End.IDLE)));
    life.pass(Duration.ofMinutes(1));
    life.live();
    assertThat(life.published.get(LifeIn.RUN).error()).contains("the run took longer than PT1M");
  }

  /** Two steps, each of which takes as much as the whole run may. */
  private static Life spent(RunBudget budget) {
    Script.Step step = new Script.Step(0, Script.Act.INTERNAL, 0, Script.End.GO_ON);
    Life life = begun(budget, Script.of(step, step));
    life.live();
    return life;
  }

  private static Life begun(RunBudget budget, Script script) {
    RunBudget asks = budget.whenSpent(RunBudget.WhenSpent.SUSPEND);
    Life life =
        new Life(
            new Life.Nature(Life.BLUEPRINT.budget(asks), script, Map.of(), false), new LifeBoard());
    life.recover();
    life.accept("r1");
    return life;
  }

  private static Life asking(ResumptionCondition until) {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(LifeIn.step(ActionPolicyIterationResult.blocked("asks", until)));
    return life;
  }
}
