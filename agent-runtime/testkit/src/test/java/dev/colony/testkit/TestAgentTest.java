package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.StepView;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Workbench;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.inference.InferenceGateway;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An agent without a node does what it does on one. */
class TestAgentTest {

  private static final String ACTION = Workbench.TYPE + ".internal";

  private final TestTypes types = new TestTypes();

  private TestAgent.Builder agent() {
    return of(TestTypes.BLUEPRINT);
  }

  private TestAgent.Builder of(AgentBlueprint blueprint) {
    return TestAgent.of(blueprint)
        .onlyTypes(types)
        .service(TestTypes.class, types)
        .service(InferenceGateway.class, new InstantModel());
  }

  @Test
  void runsAreDoneStepByStepInTheirOrder() {
    try (TestAgent agent = agent().start()) {
      RunId first = agent.ask(TestTypes.input(2, "internal"));
      RunId second = agent.ask(TestTypes.input(1, "internal"));
      assertThat(agent.step()).isTrue();
      assertThat(agent.steps().all()).hasSize(1);
      assertThat(agent.result(first)).isEmpty();
      agent.settle();
      assertThat(agent.step()).isFalse();
      assertThat(agent.result(first)).map(AgentRun::status).contains(AgentRun.Status.COMPLETED);
      agent.steps(first).assertActions(ACTION, ACTION).assertNoFailures();
      agent.steps(second).assertActions(ACTION);
      assertThat(agent.steps(second).all()).extracting(StepView::step).startsWith(0);
      assertThat(agent.state()).isEqualTo(AgentState.IDLE);
    }
  }

  @Test
  void whatItHasDoneIsThereAfterACrash() {
    try (TestAgent agent = agent().start()) {
      RunId run = agent.ask(TestTypes.input(3, "internal"));
      agent.step();
      List<String> before = agent.journal();
      agent.crash();
      assertThat(agent.journal()).startsWith(before.toArray(String[]::new));
      assertThat(agent.journal()).filteredOn("agent-claimed"::equals).hasSize(2);
      agent.steps(run).assertActions(ACTION, ACTION, ACTION);
      assertThat(agent.result(run)).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void theProcessDiesWhereTheTestSaysAndTheNextGoesOn(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (TestAgent agent = agent().killed(point).start()) {
                AgentRun run = agent.run(TestTypes.input(2, "internal"));
                assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
                agent.steps().assertActions(ACTION, ACTION);
                long claims = agent.journal().stream().filter("agent-claimed"::equals).count();
                // A claim that does not reach the journal leaves nothing there.
                boolean first = point.toString().equals("before write 1");
                assertThat(claims).isEqualTo(point.struck() && !first ? 2 : 1);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(6);
  }

  @Test
  void itTakesWhatItsCallersTellIt() {
    try (TestAgent agent = agent().start()) {
      agent.handle().suspend("lunch", new ResumptionCondition.At(agentTime(Duration.ofHours(1))));
      agent.settle();
      assertThat(agent.state()).isEqualTo(AgentState.SUSPENDED);
      RunId run = agent.ask(TestTypes.input(1, "internal"));
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      agent.advance(Duration.ofMinutes(61));
      assertThat(agent.result(run)).isPresent();

      agent.handle().suspend("again", new ResumptionCondition.Custom("go"));
      agent.settle();
      agent.handle().signal("go", "go on");
      agent.settle();
      assertThat(agent.state()).isEqualTo(AgentState.IDLE);

      RunId late = agent.ask(TestTypes.input(1, "internal"));
      agent.handle().cancel(late, RunOptions.namespace(TestAgent.NAMESPACE), "too late").join();
      agent.settle();
      assertThat(agent.result(late)).map(AgentRun::status).contains(AgentRun.Status.CANCELLED);

      agent.handle().stop("it is late");
      agent.settle();
      assertThat(agent.state()).isEqualTo(AgentState.STOPPED);
      assertThat(agent.handle().state().join().orElseThrow().state()).isEqualTo(AgentState.STOPPED);
    }
  }

  private static Instant agentTime(Duration after) {
    return VirtualTime.BEGINNING.plus(after);
  }

  @Test
  void aWriteThatItHandlesWakesIt() {
    Scope scope = Scope.session("test", "test", "shared");
    try (TestAgent agent = of(TestTypes.hearing(scope)).start()) {
      assertThat(agent.history()).noneMatch(StepView.class::isInstance);
      agent.blackboard(scope).write(Write.value("alarm:fire", 1)).toCompletableFuture().join();
      agent.settle();
      assertThat(agent.journal()).contains("events-noticed", "events-taken", "result-published");
    }
  }

  @Test
  void anAssertionThatFailsShowsTheSteps() {
    try (TestAgent agent = agent().start()) {
      agent.run(TestTypes.input(1, "internal"));
      Steps steps = agent.steps();
      assertThatThrownBy(() -> steps.assertActions("other"))
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("expected the actions [other]\nthe steps were\n  0: " + ACTION)
          .hasMessageContaining("SUCCEEDED");
      assertThatThrownBy(() -> steps.assertFailed(ACTION, "x")).hasMessageContaining("to fail");
      assertThatThrownBy(() -> steps.assertOutput(ACTION, "x")).hasMessageContaining("to return");
      assertThatThrownBy(() -> steps.assertParameters(ACTION, "x"))
          .hasMessageContaining("to be given");
      assertThatThrownBy(() -> steps.action("none")).hasMessageContaining("there were 0");
      assertThatThrownBy(() -> steps.assertModelCalls(7)).hasMessageContaining("7 model calls");
      assertThatThrownBy(() -> steps.assertTokensAtMost(-1)).hasMessageContaining("tokens");
    }
  }
}
