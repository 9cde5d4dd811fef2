package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A run that waits for long does so with its agent suspended. */
class WaitingRunTest {

  private static final AgentId WORKER = new AgentId("acme", "billing", "worker");
  private static final Instant OVER = Life.AT.plus(Duration.ofHours(1));
  private static final Duration AFTER = Life.LIMITS.suspension().afterWaiting();
  private static final ResumptionCondition DEADLINE = new ResumptionCondition.At(OVER);

  @Test
  void oneThatIsIdleIsSuspendedAfterAWhileUntilItsTimeIsOver() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, false);
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    life.pass(AFTER.minusMillis(1));
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
    life.pass(Duration.ofMillis(1));
    life.live();
    assertThat(life.entered)
        .containsExactly(
            new Suspension(
                1, SuspensionCause.BLOCKED, "", Optional.of(DEADLINE), life.now, life.now, false));
    assertThat(life.state.outstanding()).isFalse();
  }

  @Test
  void oneThatWaitsForAgentsIsSuspendedUntilTheyHaveEnded() {
    Life life =
        waiting(
            ActionPolicyIterationResult.blocked("waits", List.of(WORKER)),
            AgentKind.UNBOUND,
            false);
    life.pass(AFTER);
    life.live();
    assertThat(life.state.reason()).contains("waits");
    assertThat(life.state.suspension().orElseThrow().until())
        .contains(
            ResumptionCondition.any(
                new ResumptionCondition.ChildrenCompleted(List.of(WORKER)), DEADLINE));
    life.resume(1);
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
  }

  @Test
  void oneThatWaitsForAConditionIsSuspendedAtOnce() {
    ResumptionCondition signal = new ResumptionCondition.Custom("go");
    Life life =
        waiting(ActionPolicyIterationResult.blocked("waits", signal), AgentKind.SERVICE, false);
    life.live();
    assertThat(life.state.suspension().orElseThrow().cause()).isEqualTo(SuspensionCause.BLOCKED);
    assertThat(life.state.suspension().orElseThrow().until())
        .contains(ResumptionCondition.any(signal, DEADLINE));
  }

  @Test
  void oneThatWaitsForAPersonIsSuspendedForThat() {
    Life life =
        waiting(
            ActionPolicyIterationResult.blocked(
                "waits",
                ResumptionCondition.all(
                    new ResumptionCondition.Custom("go"),
                    new ResumptionCondition.Approved("lead"))),
            AgentKind.UNBOUND,
            false);
    life.live();
    assertThat(life.state.suspension().orElseThrow().cause()).isEqualTo(SuspensionCause.APPROVAL);
  }

  @Test
  void aServiceWaitsInMemory() {
    Life life =
        waiting(
            ActionPolicyIterationResult.blocked("waits", List.of(WORKER)),
            AgentKind.SERVICE,
            false);
    life.pass(AFTER.multipliedBy(2));
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void writesEndItWhereThePolicyTakesThem() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, true);
    life.pass(AFTER);
    life.live();
    assertThat(life.state.suspension().orElseThrow().events()).isTrue();
    life.tell(LifeIn.notice(3));
    assertThat(life.state.outstanding()).isTrue();
    life.recover();
    life.step();
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    assertThat(life.work()).isInstanceOf(AgentEffect.ReadEvents.class);
  }

  @Test
  void writesThatCannotBeReadEndNothing() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, true);
    life.pass(AFTER);
    life.live();
    life.tell(LifeIn.notice(3));
    Effects withoutEvents = effects(Optional.of(true)).withoutEvents();
    assertThat(withoutEvents.next(life.state, life.now)).isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void writesWaitWhereThePolicyDoesNot() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, false);
    life.pass(AFTER);
    life.live();
    life.tell(LifeIn.notice(3));
    assertThat(life.state.outstanding()).isFalse();
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void nobodyIsSuspendedBeforeItIsKnownWhetherItsPolicyTakesWrites() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, true);
    assertThat(effects(Optional.empty()).next(life.state, Life.AT.plus(AFTER)))
        .isInstanceOf(AgentEffect.Nothing.class);
  }

  @Test
  void theTimerGoesOffWhenItIsToBeSuspendedAndWhenItsTimeIsOver() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, false);
    Effects effects = effects(Optional.of(false));
    assertThat(effects.deadline(life.state)).contains(Life.AT.plus(AFTER));
    life.pass(AFTER);
    life.live();
    assertThat(effects.deadline(life.state)).contains(OVER);
    life.pass(Duration.ofHours(1).minus(AFTER));
    life.live();
    assertThat(life.published.get(LifeIn.RUN).status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Test
  void anotherRunThatIsAcceptedWaitsBehindIt() {
    Life life = waiting(ActionPolicyIterationResult.awaitingEvents(), AgentKind.UNBOUND, false);
    life.pass(AFTER);
    life.live();
    assertThat(life.accept("next")).isInstanceOf(Verdict.Journal.class);
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
    assertThat(life.state.outstanding()).isFalse();
  }

  @Test
  void whatCannotBeWaitedForFailsTheRun() {
    ResumptionCondition most =
        new ResumptionCondition.AnyOf(
            Collections.nCopies(
                ResumptionCondition.MOST_PARTS - 1, new ResumptionCondition.Immediate()));
    Life life =
        waiting(ActionPolicyIterationResult.blocked("waits", most), AgentKind.UNBOUND, false);
    life.live();
    assertThat(life.published.get(LifeIn.RUN).error().orElseThrow())
        .startsWith("what the run waits for cannot be: ");
  }

  @Test
  void aRunThatWaitsInMemoryIsNotSuspendedByWhatItNoLongerWaitsFor() {
    Life life = LifeIn.phase(Phase.BLOCKED);
    AgentCommand late =
        new AgentCommand.Apply(
            new Intent.Suspend(SuspensionCause.BLOCKED, "waits", Optional.of(DEADLINE), true),
            life.now);
    life.command(LifecycleCommand.UNBLOCK);
    assertThat(life.tell(late)).isInstanceOf(Verdict.Refused.class);
  }

  private static Effects effects(Optional<Boolean> takesEvents) {
    return new Effects(
        Life.AGENT, Optional.of(Map.of(Life.SCOPE, Life.GLOBS)), () -> takesEvents, Life.LIMITS);
  }

  private static Life waiting(
      ActionPolicyIterationResult result, AgentKind kind, boolean takesEvents) {
    Life life =
        new Life(
            new Life.Nature(Life.BLUEPRINT.kind(kind), Script.of(), Map.of(), false)
                .woken(takesEvents),
            new LifeBoard());
    life.recover();
    life.live();
    life.accept("r1");
    life.tell(LifeIn.step(result));
    return life;
  }
}
