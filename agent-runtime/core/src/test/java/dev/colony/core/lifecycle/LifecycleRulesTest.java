package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.RecoveryPolicy.RecoveryCause;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of an agent's life that need more than one command. */
class LifecycleRulesTest {

  @Test
  void aRunAskedForTwiceIsOneRun() {
    Life life = LifeIn.phase(Phase.ITERATING);
    assertThat(life.accept("r1")).isInstanceOf(Verdict.Repeated.class);
    life.live();
    assertThat(life.accept("r1")).isInstanceOf(Verdict.Repeated.class);
  }

  @Test
  void asManyFinishedRunsAreRememberedAsTheLimitSays() {
    Life life = LifeIn.phase(Phase.RESTING);
    for (int i = 0; i < 5; i++) {
      life.accept("r" + i);
      life.live();
    }
    assertThat(life.state.finished()).containsExactly(new RunId("r3"), new RunId("r4"));
  }

  @Test
  void anAgentAtRestThatFailsWheneverItIsClaimedCannotBeClaimedForGood() {
    Life life = LifeIn.phase(Phase.RESTING);
    AgentCommand failed =
        new AgentCommand.Claim(
            Optional.empty(), Optional.empty(), "node", RecoveryCause.failed("no\nway"), Life.AT);
    for (int i = 1; i <= Life.LIMITS.maxRecoveries(); i++) {
      assertThat(life.tell(failed)).as("claim %d", i).isInstanceOf(Verdict.Journal.class);
    }
    int one = Life.LIMITS.maxRecoveries() + 1;
    Verdict refused =
        new Verdict.Refused(
            "the agent was recovered " + one + " times in a row without the end of a step: no way");
    assertThat(life.lifecycle.decide(life.state, failed)).isEqualTo(refused);
    assertThat(life.lifecycle.decide(life.state, failed)).isEqualTo(refused);
    assertThat(life.lifecycle.decide(life.state, LifeIn.claim()))
        .as("an actor that knows of no failure tries it again")
        .isInstanceOf(Verdict.Journal.class);
    life.tell(LifeIn.claim());
    life.accept("r1");
    life.live();
    assertThat(life.state.holder().recoveries()).as("after it has got on").isZero();
    assertThat(life.lifecycle.decide(life.state, failed)).isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void aRunBeyondTheQueueIsToBeAskedForAgainAndSaysWhy() {
    Life life = LifeIn.phase(Phase.RESTING);
    for (int i = 0; i < Life.LIMITS.maxQueuedRuns(); i++) {
      assertThat(life.accept("r" + i)).isInstanceOf(Verdict.Journal.class);
    }
    assertThat(life.accept("more"))
        .isEqualTo(new Verdict.Busy("the agent has 4 unfinished runs, as many as it may have"));
  }

  @Test
  void onlyTheFirstAndTheLastOfSeveralRunsChangeWhetherAnythingIsOutstanding() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.accept("r1");
    life.accept("r2");
    life.live();
    assertThat(life.journal)
        .filteredOn(AgentEvent.RunAccepted.class::isInstance)
        .extracting(event -> ((AgentEvent.RunAccepted) event).left())
        .containsExactly(1, 2);
    assertThat(life.journal)
        .filteredOn(AgentEvent.ResultPublished.class::isInstance)
        .extracting(event -> ((AgentEvent.ResultPublished) event).left())
        .containsExactly(1, 0);
  }

  @Test
  void theResultOfAnotherRunIsNotConfirmed() {
    assertThat(
            new Lifecycle(Life.LIMITS)
                .decide(
                    LifeIn.phase(Phase.ENDED).state,
                    new AgentCommand.ConfirmPublished(new RunId("other"), Life.AT)))
        .isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void aWriteThatIsKnownIsNoticedOnce() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.tell(LifeIn.notice(3));
    assertThat(life.tell(LifeIn.notice(3))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(LifeIn.notice(2))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(LifeIn.notice(4))).isInstanceOf(Verdict.Journal.class);
    life.tell(LifeIn.take(Optional.empty()));
    assertThat(life.tell(LifeIn.notice(5))).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.tell(LifeIn.notice(6))).isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void aScopeThatIsNotWatchedIsRefused() {
    Life life = LifeIn.phase(Phase.RESTING);
    Scope other = Scope.tenant("acme");
    assertThat(life.tell(new AgentCommand.NoticeEvents(other, new Position(1, 1), Life.AT)))
        .isEqualTo(new Verdict.Refused("the agent does not handle events of tenant:acme"));
  }

  @Test
  void eventsThatWereTakenAreNotTakenAgain() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.tell(LifeIn.notice(3));
    life.tell(LifeIn.take(Optional.of(Life.request("woken"))));
    assertThat(life.tell(LifeIn.take(Optional.of(Life.request("again")))))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(life.state.queue()).extracting(QueuedRun::runId).containsExactly(new RunId("woken"));
  }

  @Test
  void nothingIsLeftWhenNeitherRunsNorEventsAre() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.accept("r1");
    life.tell(LifeIn.notice(3));
    life.tell(LifeIn.complete());
    life.tell(LifeIn.publish());
    assertThat(life.journal.getLast())
        .isEqualTo(new AgentEvent.ResultPublished(LifeIn.RUN, 1, Life.AT));
    assertThat(life.state.outstanding()).isTrue();
    life.tell(LifeIn.take(Optional.empty()));
    assertThat(((AgentEvent.EventsTaken) life.journal.getLast()).left()).isZero();
    assertThat(life.state.outstanding()).isFalse();
  }

  @Test
  void eventsThatDidNotFitAreStillUnread() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.tell(LifeIn.notice(3));
    Position next = new Position(5, 6);
    life.tell(
        new AgentCommand.TakeEvents(
            Life.SCOPE,
            Optional.of(Life.request("woken")),
            Optional.empty(),
            new Position(5, 5),
            Optional.of(next),
            Life.AT));
    assertThat(((AgentEvent.EventsTaken) life.journal.getLast()).left()).isEqualTo(2);
    assertThat(life.state.watches())
        .containsExactly(new Watch(Life.SCOPE, Life.GLOBS, new Position(5, 5), next, next));
  }

  @Test
  void eventsAreTakenEvenByAFullQueue() {
    Life life = LifeIn.phase(Phase.RESTING);
    for (int i = 0; i < Life.LIMITS.maxQueuedRuns(); i++) {
      life.accept("r" + i);
    }
    assertThat(life.tell(LifeIn.take(Optional.of(Life.request("woken")))))
        .isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void anEventWithoutItsRunIsABrokenJournal() {
    assertThatThrownBy(() ->
            Life.replay(
                List.of(
                    new AgentEvent.StepCompleted(
                        0,
                        Optional.empty(),
                        StepDelta.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Life.AT))))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatIsDoneForAnAgentThatIsNotToRunIsRefused() {
    for (LifecycleCommand command :
        List.of(LifecycleCommand.SUSPEND, LifecycleCommand.STOP, LifecycleCommand.FAIL)) {
      Life life = LifeIn.phase(Phase.ITERATING);
      life.tell(LifeIn.move(command));
      assertThat(life.tell(LifeIn.answer("c"))).isInstanceOf(Verdict.Refused.class);
      assertThat(life.tell(LifeIn.intend())).isInstanceOf(Verdict.Refused.class);
      assertThat(life.tell(LifeIn.act("a0"))).isInstanceOf(Verdict.Refused.class);
    }
  }

  @Test
  void whatIsDoneForARunThatIsToEndIsRefused() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.cancel("r1");
    assertThat(life.tell(LifeIn.answer("c"))).isInstanceOf(Verdict.Refused.class);
    assertThat(life.tell(LifeIn.intend())).isInstanceOf(Verdict.Refused.class);
    assertThat(life.tell(LifeIn.act("a0"))).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void anExternalActionThatHasBegunIsAwaitedWhateverBecomesOfTheAgent() {
    for (LifecycleCommand command :
        List.of(LifecycleCommand.SUSPEND, LifecycleCommand.STOP, LifecycleCommand.FAIL)) {
      Life life = LifeIn.phase(Phase.INTENDED);
      life.tell(LifeIn.move(command));
      assertThat(life.tell(LifeIn.act("a0"))).isInstanceOf(Verdict.Journal.class);
      assertThat(life.state.active().orElseThrow().history()).hasSize(1);
    }
  }

  @Test
  void aRunThatIsCancelledWithinAnExternalActionEndsAsCancelledWhateverItsPolicyMakesOfThat() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.cancel("r1");
    life.tell(
        LifeIn.step(
            ActionPolicyIterationResult.failed(ErrorContext.of("policy", "no answer any more"))));
    life.live();
    AgentRun run = life.published.get(LifeIn.RUN);
    assertThat(run.status()).isEqualTo(AgentRun.Status.CANCELLED);
    assertThat(run.error()).contains("it is not wanted");
    assertThat(run.stats().steps()).isEqualTo(1);
  }

  @Test
  void aRunThatCompletesAllTheSameIsNotCancelled() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.cancel("r1");
    life.tell(
        LifeIn.step(
            ActionPolicyIterationResult.completed(
                ActionPolicyOutput.of(JsonNodeFactory.instance.nullNode()))));
    assertThat(life.state.active().orElseThrow().ended().orElseThrow().status())
        .isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(life.cancel("r1")).isEqualTo(new Verdict.Refused("the run has ended"));
  }

  @Test
  void runsOfAnAgentAtItsEndGetTheirResultsBeforeItIsAnnounced() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.accept("r1");
    life.accept("r2");
    life.command(LifecycleCommand.STOP);
    life.live();
    assertThat(life.published.values())
        .extracting(AgentRun::status)
        .containsExactly(AgentRun.Status.CANCELLED, AgentRun.Status.CANCELLED);
    assertThat(life.published.get(LifeIn.RUN).error())
        .contains("the agent is STOPPED: it was asked for");
    assertThat(life.announced).containsExactly(AgentState.STOPPED);
    assertThat(life.journal.getLast())
        .isEqualTo(new AgentEvent.Announced(AgentState.STOPPED, 0, Life.AT));
    assertThat(life.accept("r3"))
        .isEqualTo(new Verdict.Refused("the agent is STOPPED: it was asked for"));
  }

  @Test
  void runsOfAnAgentThatFailedFail() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.accept("r1");
    life.accept("r2");
    life.tell(
        LifeIn.step(ActionPolicyIterationResult.terminated(ErrorContext.of("policy", "lost"))));
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.FAILED);
    assertThat(life.published.values())
        .extracting(run -> run.status() + " " + run.error().orElseThrow())
        .containsExactly("FAILED lost", "FAILED the agent is FAILED: lost");
  }

  @Test
  void anAgentThatIsPutAwayTakesRunsAndDoesNothing() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.command(LifecycleCommand.SUSPEND);
    assertThat(life.accept("r1")).isInstanceOf(Verdict.Journal.class);
    assertThat(life.work()).isInstanceOf(AgentEffect.Nothing.class);
    assertThat(life.state.outstanding()).isFalse();
    life.command(LifecycleCommand.RESUME);
    assertThat(life.state.outstanding()).isTrue();
    life.live();
    assertThat(life.published).containsKey(LifeIn.RUN);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Test
  void pagesThatComeBackEndASuspensionByThemOnly() {
    Life life = LifeIn.state(AgentState.RUNNING, AgentKind.VCM_BOUND).orElseThrow();
    life.command(LifecycleCommand.PAGES_EVICTED);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    life.command(LifecycleCommand.PAGES_AVAILABLE);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    life.command(LifecycleCommand.PAGES_EVICTED);
    assertThat(life.command(LifecycleCommand.SUSPEND)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.command(LifecycleCommand.PAGES_AVAILABLE))
        .isEqualTo(new Verdict.Refused("the agent does not wait for its pages: EXPLICIT"));
    life.command(LifecycleCommand.RESUME);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
  }

  @Test
  void aRunThatWaitsIsAskedAgainWhenTheAgentGoesOn() {
    Life life = LifeIn.phase(Phase.BLOCKED);
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    life.command(LifecycleCommand.SUSPEND);
    assertThat(life.state.phase()).isEqualTo(Phase.BLOCKED);
    life.command(LifecycleCommand.RESUME);
    assertThat(life.state.phase()).isEqualTo(Phase.ITERATING);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
  }

  @Test
  void eventsGoIntoARunBetweenItsStepsOnly() {
    assertThat(LifeIn.phase(Phase.INTENDED).tell(LifeIn.deliver()))
        .isEqualTo(new Verdict.Refused("no run is between two steps to take events"));
    Life answered = LifeIn.phase(Phase.ITERATING);
    answered.tell(LifeIn.answer("c"));
    assertThat(answered.tell(LifeIn.deliver())).isInstanceOf(Verdict.Refused.class);
    Life blocked = LifeIn.phase(Phase.BLOCKED);
    blocked.tell(LifeIn.deliver());
    assertThat(blocked.state.state()).isEqualTo(AgentState.RUNNING);
    assertThat(blocked.state.active().orElseThrow().events()).hasSize(1);
  }

  @Test
  void eventsThatNoStepHasSeenStartARunOfTheirOwnWhenTheirsEnds() {
    Life life = LifeIn.phase(Phase.BLOCKED);
    life.tell(LifeIn.notice(3));
    EventBatch batch =
        new EventBatch(
            Life.SCOPE,
            List.of(
                new EventBatch.Event(
                    "alarm:1",
                    new Position(5, 3),
                    Life.AT,
                    "someone",
                    0,
                    1,
                    Set.of(),
                    Optional.empty())),
            false);
    life.tell(
        new AgentCommand.TakeEvents(
            Life.SCOPE,
            Optional.empty(),
            Optional.of(batch),
            new Position(5, 3),
            Optional.empty(),
            Life.AT));
    life.cancel("r1");
    life.step();
    assertThat(life.state.queue()).hasSize(2);
    assertThat(EventBatch.of(life.state.queue().getLast().request())).contains(batch);
    life.live();
    assertThat(life.published).hasSize(2);
  }

  @Test
  void aCallIsAnsweredOncePerStep() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(LifeIn.answer("c"));
    assertThat(life.tell(LifeIn.answer("c")))
        .isEqualTo(new Verdict.Refused("the call c of this step is answered already"));
    life.tell(LifeIn.act("a0"));
    assertThat(life.tell(LifeIn.answer("c"))).isInstanceOf(Verdict.Journal.class);
  }
}
