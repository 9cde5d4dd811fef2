package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.client.AgentSignal;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.vcm.PageGroupId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What an agent is told through its inbox, whatever it is doing. */
class SignalsTest extends LiveFixture {

  @Test
  void aStoppedAgentEndsItsRunsAsCancelledAndTakesNoMore() throws Exception {
    types.hold("a0");
    spawn(TestTypes.BLUEPRINT);
    RunHandle active = agent.run(TestTypes.input(1, "internal"), options("active"));
    begun();
    RunHandle queued = agent.run(TestTypes.input(1, "internal"), options("queued"));
    await().until(() -> journaled(AgentEvent.RunAccepted.class).size() == 2);
    now(agent.stop("enough"));
    for (RunHandle run : List.of(active, queued)) {
      assertThat(result(run).status()).isEqualTo(Status.CANCELLED);
      assertThat(result(run).error().orElseThrow()).contains("STOPPED").contains("enough");
    }
    AgentRun late = result(agent.run(TestTypes.input(1, "internal"), options("late")));
    assertThat(late.status()).isEqualTo(Status.FAILED);
    assertThat(late.error().orElseThrow()).contains("STOPPED");
    await()
        .untilAsserted(() ->
            assertThat(now(agent.state()).orElseThrow().state()).isEqualTo(AgentState.STOPPED));
    await().until(() -> !node.holds(id));
  }

  @Test
  void aSuspendedAgentGoesOnWhereItWasWhenItIsResumed() throws Exception {
    var latch = types.hold("a1");
    spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(2, "internal"), options("r1"));
    String first = begun();
    String second = begun();
    now(agent.suspend("later"));
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
    RunHandle waiting = agent.run(TestTypes.input(0, "internal"), options("r2"));
    await().until(() -> journaled(AgentEvent.RunAccepted.class).size() == 2);
    assertThat(journaled(AgentEvent.RunCompleted.class)).isEmpty();
    latch.countDown();
    now(agent.resume("now"));
    assertThat(result(run).output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    assertThat(result(waiting).status()).isEqualTo(Status.COMPLETED);
    assertThat(begun()).isEqualTo(second).isNotEqualTo(first);
  }

  @Test
  void anActiveRunThatIsCancelledEndsAtOnceAndTheNextBegins() throws Exception {
    types.hold("a0");
    spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(1, "internal"), options("r1"));
    begun();
    now(agent.cancel(new RunId("r1"), options("r1"), "wrong question"));
    assertThat(result(run).status()).isEqualTo(Status.CANCELLED);
    assertThat(result(run).error()).contains("wrong question");
    types.releaseAll();
    assertThat(result(agent.run(TestTypes.input(1, "internal"), options("r2"))).status())
        .isEqualTo(Status.COMPLETED);
  }

  @Test
  void aQueuedRunThatIsCancelledNeverBegins() throws Exception {
    var latch = types.hold("a0");
    spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(1, "internal"), options("r1"));
    begun();
    RunHandle queued = agent.run(TestTypes.input(1, "internal"), options("r2"));
    await().until(() -> journaled(AgentEvent.RunAccepted.class).size() == 2);
    now(agent.cancel(new RunId("r2"), options("r2"), "not needed"));
    await().until(() -> !journaled(AgentEvent.CancelRequested.class).isEmpty());
    latch.countDown();
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    assertThat(result(queued).status()).isEqualTo(Status.CANCELLED);
    assertThat(result(queued).stats().steps()).isZero();
    assertThat(types.begun).isEmpty();
  }

  @Test
  void anExternalActionUnderWayIsAwaitedBeforeItsRunEndsAsCancelled() throws Exception {
    var latch = types.hold("a0");
    spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(1, "once"), options("r1"));
    begun();
    now(agent.cancel(new RunId("r1"), options("r1"), "too late"));
    await().until(() -> !journaled(AgentEvent.CancelRequested.class).isEmpty());
    assertThat(journaled(AgentEvent.RunCompleted.class)).isEmpty();
    latch.countDown();
    assertThat(result(run).status()).isEqualTo(Status.CANCELLED);
    assertThat(journaled(AgentEvent.StepCompleted.class).getFirst().call().orElseThrow().result())
        .matches(result -> result.success());
  }

  @Test
  void anAgentWhosePolicyAsksForItsEndHasFailedForGood() {
    spawn(PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.terminated(ErrorContext.of("test", "past mending")));
    AgentRun run = result(run("r1", input("any", "thing")));
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error()).contains("past mending");
    await()
        .untilAsserted(() ->
            assertThat(now(agent.state()).orElseThrow())
                .returns(AgentState.FAILED, AgentStatus::state)
                .returns(Optional.of("past mending"), AgentStatus::reason));
    assertThat(result(run("r2", input("any", "thing"))).error().orElseThrow())
        .contains("the agent is FAILED: past mending");
  }

  @Test
  void anAgentWaitsWhileThePagesThatItIsBoundToAreEvicted() throws Exception {
    var latch = types.hold("a0");
    spawn(TestTypes.BLUEPRINT.pages(new PageGroupId("a".repeat(26))).kind(AgentKind.VCM_BOUND));
    RunHandle run = agent.run(TestTypes.input(1, "internal"), options("r1"));
    String key = begun();
    tell(LifecycleSignal.PAGES_EVICTED);
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
    latch.countDown();
    tell(LifecycleSignal.PAGES_AVAILABLE);
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    assertThat(begun()).isEqualTo(key);
  }

  private void tell(LifecycleSignal signal) {
    AgentSignal.Wanted told = AgentSignal.lifecycle(id, signal, "");
    now(boards.open(told.scope(), "pages").send(told.write(), id.persistenceId()));
  }
}
