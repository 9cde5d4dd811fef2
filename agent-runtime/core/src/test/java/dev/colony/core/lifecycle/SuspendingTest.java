package dev.colony.core.lifecycle;

import static dev.colony.agent.Suspension.SuspensionCause.APPROVAL;
import static dev.colony.agent.Suspension.SuspensionCause.BLOCKED;
import static dev.colony.agent.Suspension.SuspensionCause.BUDGET;
import static dev.colony.agent.Suspension.SuspensionCause.CAPACITY;
import static dev.colony.agent.Suspension.SuspensionCause.EXPLICIT;
import static dev.colony.agent.Suspension.SuspensionCause.PAGES;
import static dev.colony.agent.Suspension.SuspensionCause.SCOPE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.LifecycleStatus;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What suspends an agent, what ends that, and what becomes of its runs meanwhile. */
class SuspendingTest {

  private static final Optional<ResumptionCondition> SIGNAL =
      Optional.of(new ResumptionCondition.Custom("go"));
  private static final Duration HOUR = Duration.ofHours(1);

  @TestFactory
  List<DynamicTest> everyCauseInEveryStateOfEveryKind() {
    List<DynamicTest> tests = new ArrayList<>();
    for (AgentKind kind : AgentKind.values()) {
      for (AgentState state : AgentState.values()) {
        for (SuspensionCause cause : SuspensionCause.values()) {
          LifeIn.state(state, kind)
              .ifPresent(life ->
                  tests.add(
                      DynamicTest.dynamicTest(
                          kind + " " + state + " " + cause, () -> suspended(life, cause))));
        }
      }
    }
    assertThat(tests).hasSize((7 + 3 * 6) * SuspensionCause.values().length);
    return tests;
  }

  private static void suspended(Life life, SuspensionCause cause) {
    AgentSnapshot before = life.state;
    long number = before.status().suspensions() + 1;
    if (!from(cause, before.kind()).contains(before.state())) {
      assertThat(life.suspend(cause, SIGNAL)).isInstanceOf(Verdict.Refused.class);
      assertThat(life.state).isEqualTo(before);
      return;
    }
    assertThat(life.suspend(cause, SIGNAL)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.state())
        .isEqualTo(
            before.state() == AgentState.LOADED && cause == PAGES
                ? AgentState.UNLOADED
                : AgentState.SUSPENDED);
    assertThat(life.state.suspension())
        .contains(new Suspension(number, cause, "it was asked for", SIGNAL, Life.AT));
    assertThat(life.resume(number)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.suspension()).isEmpty();
    assertThat(LifecycleStatus.away(life.state.state())).isFalse();
  }

  /** In which states it suspends an agent. */
  private static Set<AgentState> from(SuspensionCause cause, AgentKind kind) {
    return switch (cause) {
      case EXPLICIT ->
          EnumSet.of(
              AgentState.RUNNING,
              AgentState.WAITING,
              AgentState.LOADED,
              AgentState.IDLE,
              AgentState.UNLOADED,
              AgentState.SUSPENDED);
      case PAGES ->
          kind == AgentKind.VCM_BOUND
              ? EnumSet.of(AgentState.RUNNING, AgentState.WAITING, AgentState.LOADED)
              : Set.of();
      case BLOCKED, APPROVAL -> EnumSet.of(AgentState.WAITING);
      case CAPACITY, BUDGET, SCOPE -> EnumSet.of(AgentState.RUNNING, AgentState.WAITING);
    };
  }

  /** Only a caller's signal takes the place of another suspension, whatever that waits for. */
  @TestFactory
  List<DynamicTest> whatTakesThePlaceOfWhat() {
    List<DynamicTest> tests = new ArrayList<>();
    for (SuspensionCause lasting : SuspensionCause.values()) {
      for (SuspensionCause next : SuspensionCause.values()) {
        tests.add(
            DynamicTest.dynamicTest(
                next + " over " + lasting,
                () -> {
                  Life life = suspended(lasting);
                  Verdict verdict = life.suspend(next, SIGNAL);
                  if (next != EXPLICIT) {
                    assertThat(verdict)
                        .isEqualTo(new Verdict.Refused("the agent is suspended: " + lasting));
                    return;
                  }
                  assertThat(verdict).isInstanceOf(Verdict.Journal.class);
                  assertThat(life.state.suspension().orElseThrow().number()).isEqualTo(2);
                  assertThat(life.state.suspension().orElseThrow().until()).isEqualTo(SIGNAL);
                  assertThat(life.resume(1)).isEqualTo(new Verdict.Refused("suspension 1 is over"));
                }));
      }
    }
    return tests;
  }

  @Test
  void theSameSuspensionAgainIsNone() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.suspend(EXPLICIT, SIGNAL);
    assertThat(life.suspend(EXPLICIT, SIGNAL)).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.suspend(EXPLICIT, Optional.empty())).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.status().suspensions()).isEqualTo(2);
  }

  @Test
  void anEndedSuspensionIsNotEndedAgainNorIsALaterOneByIt() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.suspend(EXPLICIT, SIGNAL);
    assertThat(life.resume(2)).isEqualTo(new Verdict.Refused("suspension 2 is over"));
    assertThat(life.resume(1)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.resume(1)).isEqualTo(new Verdict.Refused("suspension 1 is over"));
    life.suspend(EXPLICIT, SIGNAL);
    assertThat(life.resume(1)).isEqualTo(new Verdict.Refused("suspension 1 is over"));
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
  }

  @Test
  void noWordBringsPagesBack() {
    for (AgentState from : List.of(AgentState.RUNNING, AgentState.LOADED)) {
      Life life = LifeIn.state(from, AgentKind.VCM_BOUND).orElseThrow();
      life.suspend(PAGES, SIGNAL);
      assertThat(life.command(LifecycleCommand.RESUME))
          .isEqualTo(new Verdict.Refused("the agent goes on when its pages are available"));
      assertThat(life.resume(1)).isInstanceOf(Verdict.Journal.class);
      assertThat(life.state.state()).isEqualTo(from);
    }
  }

  @Test
  void anAgentThatComesToHaveWorkLoadsItsPagesItselfAfterAWhile() {
    Duration longest = Life.LIMITS.suspension().withoutPages();
    Life life = LifeIn.state(AgentState.UNLOADED, AgentKind.VCM_BOUND).orElseThrow();
    life.pass(longest.minusMillis(1));
    life.accept("r1");
    assertThat(life.state.outstanding()).isTrue();
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
    life.pass(Duration.ofMillis(1));
    life.step();
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
  }

  @Test
  void aSuspensionIsOutstandingUntilItIsEntered() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(EXPLICIT, SIGNAL);
    assertThat(life.state.outstanding()).isTrue();
    assertThat(life.work())
        .isEqualTo(new AgentEffect.EnterSuspension(life.state.suspension().orElseThrow()));
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.EnterSuspension.class);
    life.live();
    assertThat(life.journal.getLast()).isEqualTo(new AgentEvent.SuspensionEntered(1, 0, Life.AT));
    assertThat(life.state.outstanding()).isFalse();
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void oneWithoutAConditionIsNotEntered() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(EXPLICIT, Optional.empty());
    assertThat(life.state.outstanding()).isFalse();
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void whatEnteredAnEarlierSuspensionSaysNothingOfTheOneThatLasts() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(EXPLICIT, SIGNAL);
    life.suspend(EXPLICIT, Optional.of(new ResumptionCondition.Immediate()));
    assertThat(life.tell(new AgentCommand.ConfirmSuspended(1, Life.AT)))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(life.state.status().entered()).isFalse();
    life.live();
    assertThat(life.entered).extracting(Suspension::number).containsExactly(1L, 2L);
  }

  @Test
  void theTimeOfARunGoesOnOnlyWhileItWaitsForWhatItChoseTo() {
    for (SuspensionCause cause : SuspensionCause.values()) {
      Life life = suspended(cause);
      life.accept("behind");
      life.pass(HOUR);
      life.live();
      if (cause == BLOCKED || cause == APPROVAL) {
        assertThat(life.published.get(LifeIn.RUN).error())
            .as("%s", cause)
            .contains("the run took longer than PT1H");
        continue;
      }
      assertThat(life.published).as("%s", cause).isEmpty();
      life.scope = Optional.empty();
      life.resume(1);
      assertThat(life.state.queue()).extracting(QueuedRun::paused).containsExactly(HOUR, HOUR);
      life.pass(HOUR.minusMillis(1));
      assertThat(life.state.active().flatMap(ActiveRun::ended)).isEmpty();
      life.pass(Duration.ofMillis(1));
      life.live();
      assertThat(life.published.get(LifeIn.RUN).error())
          .as("%s", cause)
          .contains("the run took longer than PT1H");
    }
  }

  @Test
  void timeThatIsPausedTwiceIsPausedOnce() {
    Life life = suspended(CAPACITY);
    life.pass(HOUR);
    life.suspend(EXPLICIT, SIGNAL);
    life.pass(HOUR);
    life.accept("later");
    life.pass(HOUR);
    life.resume(2);
    assertThat(life.state.queue())
        .extracting(QueuedRun::paused)
        .containsExactly(HOUR.multipliedBy(3), HOUR);
  }

  @Test
  void aRunThatIsCancelledMeanwhileEndsAtOnceAndWhatLayInItWithIt() {
    for (SuspensionCause cause : SuspensionCause.values()) {
      Life life = suspended(cause);
      life.cancel("r1");
      assertThat(life.state.outstanding()).isTrue();
      life.recover();
      life.live();
      AgentRun run = life.published.get(LifeIn.RUN);
      assertThat(run.status()).isEqualTo(AgentRun.Status.CANCELLED);
      assertThat(run.stats().steps()).isEqualTo(life.state.finished().size() - 1 + steps(cause));
      assertThat(LifecycleStatus.away(life.state.state()))
          .as("%s", cause)
          .isEqualTo(cause == EXPLICIT || cause == PAGES);
      assertThat(life.state.outstanding()).isFalse();
    }
  }

  @Test
  void theNextRunGoesOnBehindOneThatEndsUnderItsSuspension() {
    for (SuspensionCause cause : List.of(BLOCKED, CAPACITY, APPROVAL, BUDGET)) {
      Life life = suspended(cause);
      life.accept("next");
      life.cancel("r1");
      life.live();
      assertThat(life.published.get(new RunId("next")).status())
          .as("%s", cause)
          .isEqualTo(AgentRun.Status.COMPLETED);
    }
  }

  @Test
  void aRunBehindThatIsCancelledDoesNotWaitForItsTurn() {
    for (Phase phase : List.of(Phase.BLOCKED, Phase.ITERATING)) {
      Life life = LifeIn.phase(phase);
      life.accept("behind");
      life.accept("last");
      life.suspend(EXPLICIT, SIGNAL);
      life.cancel("behind");
      life.live();
      assertThat(life.published.keySet()).containsExactly(new RunId("behind"));
      assertThat(life.published.get(new RunId("behind")).error()).contains("it is not wanted");
      assertThat(life.state.queue())
          .extracting(QueuedRun::runId)
          .containsExactly(LifeIn.RUN, new RunId("last"));
      assertThat(life.accept("behind")).isInstanceOf(Verdict.Repeated.class);
    }
  }

  @Test
  void anAgentThatIsStoppedMeanwhileEndsWithoutBeingResumed() {
    for (SuspensionCause cause : SuspensionCause.values()) {
      Life life = suspended(cause);
      life.accept("behind");
      life.command(LifecycleCommand.STOP);
      life.recover();
      life.live();
      assertThat(life.published.values())
          .extracting(AgentRun::status)
          .containsExactly(AgentRun.Status.CANCELLED, AgentRun.Status.CANCELLED);
      assertThat(life.announced).containsExactly(AgentState.STOPPED);
      assertThat(life.state.suspension()).isEmpty();
    }
  }

  @Test
  void aResultIsPublishedThoughItsAgentIsPutAway() {
    Life life = LifeIn.phase(Phase.ENDED);
    life.suspend(EXPLICIT, SIGNAL);
    life.recover();
    life.live();
    assertThat(life.published).containsKey(LifeIn.RUN);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.entered).hasSize(1);
  }

  @Test
  void anExternalActionThatEndsTheRunEndsTheSuspensionThatLayInIt() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.suspend(CAPACITY, SIGNAL);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    life.tell(LifeIn.act("another"));
    life.live();
    assertThat(life.published).containsKey(LifeIn.RUN);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Test
  void aRunThatEndsThoughItsAgentIsPutAwayIsInTheIndexOfOutstandingWork() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.suspend(EXPLICIT, Optional.empty());
    assertThat(life.journal.getLast().outstanding()).contains(false);
    life.tell(LifeIn.act("another"));
    assertThat(life.journal.getLast().outstanding()).contains(true);
    life.recover();
    life.live();
    assertThat(life.journal.getLast().outstanding()).contains(false);
    assertThat(life.published).containsKey(LifeIn.RUN);
  }

  @Test
  void whoeverWaitsForRoomHasWaitedSinceItFirstDidUntilAStepIsThrough() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.suspend(CAPACITY, SIGNAL);
    life.pass(Duration.ofMinutes(1));
    life.resume(1);
    life.pass(Duration.ofMinutes(1));
    life.suspend(CAPACITY, SIGNAL);
    assertThat(life.state.suspension().orElseThrow().since()).isEqualTo(Life.AT);
    assertThat(life.state.suspension().orElseThrow().at()).isEqualTo(life.now);
    life.resume(2);
    life.tell(LifeIn.act("a0"));
    assertThat(life.state.active().orElseThrow().capacityWait()).isEmpty();
    life.suspend(CAPACITY, SIGNAL);
    assertThat(life.state.suspension().orElseThrow().since()).isEqualTo(life.now);
  }

  private static int steps(SuspensionCause cause) {
    return cause == BLOCKED || cause == APPROVAL ? 1 : 0;
  }

  /** An agent whose first run has had it suspended for a cause, or was open when it was. */
  private static Life suspended(SuspensionCause cause) {
    AgentState before =
        cause == BLOCKED || cause == APPROVAL ? AgentState.WAITING : AgentState.RUNNING;
    Life life = LifeIn.state(before, AgentKind.VCM_BOUND).orElseThrow();
    life.scope = Optional.of("tenant acme is suspended").filter(why -> cause == SCOPE);
    assertThat(life.suspend(cause, Optional.of(new ResumptionCondition.Custom("other"))))
        .isInstanceOf(Verdict.Journal.class);
    return life;
  }
}
