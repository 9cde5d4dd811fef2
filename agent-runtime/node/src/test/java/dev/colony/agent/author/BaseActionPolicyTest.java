package dev.colony.agent.author;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.library.policy.FakeDispatcher;
import dev.colony.library.policy.PolicyRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class BaseActionPolicyTest {

  private final TestAgent agent = TestAgent.named("tester");
  private final FakeDispatcher dispatcher = FakeDispatcher.notes();

  /** One whose steps a test plays. */
  private static final class Played extends BaseActionPolicy {

    private final ActionPolicyIO io;
    private final Function<ActionPolicyExecutionState, Decision> step;
    private int steps;

    Played(
        PolicyContext context,
        ActionPolicyIO io,
        Function<ActionPolicyExecutionState, Decision> step) {
      super(context);
      this.io = io;
      this.step = step;
    }

    @Override
    public ActionPolicyIO io() {
      return io;
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      steps++;
      return step.apply(state);
    }
  }

  private Played policy(Function<ActionPolicyExecutionState, Decision> step) {
    return new Played(context(agent), ActionPolicyIO.ANYTHING, step);
  }

  private static ActionPolicyIterationResult next(ActionPolicy policy) throws Exception {
    return new PolicyRun(policy, json("{}")).next();
  }

  private PolicyContext context(TestAgent owner) {
    return new PolicyContext(owner, dispatcher, List.of());
  }

  @Test
  void anActionIsDispatchedAndItsResultEndsTheIteration() throws Exception {
    Action action = Action.of("analyze_001", "notes.write", json("{\"text\": \"x\"}"));
    ActionPolicyIterationResult result = next(policy(state -> new Decision.Act(action)));
    assertThat(dispatcher.dispatched).containsExactly(action);
    assertThat(result.success()).isTrue();
    assertThat(result.policyCompleted()).isFalse();
    assertThat(result.call().orElseThrow().action()).isEqualTo(action);
    assertThat(result.call().orElseThrow().result().output().asText())
        .isEqualTo("done analyze_001");
  }

  @Test
  void anActionThatFailsIsAnErrorOfTheIterationAndTheRunGoesOn() throws Exception {
    dispatcher.outcome(action -> ActionResult.failed(action.actionId(), "the disk is full"));
    ActionPolicyIterationResult result =
        next(policy(state -> new Decision.Act(Action.of("a1", "notes.write", null))));
    assertThat(result.success()).isFalse();
    assertThat(result.policyCompleted()).isFalse();
    assertThat(result.error())
        .contains(new ErrorContext("action", "the disk is full", Optional.of("a1"), false));
  }

  @Test
  void anActionThatIsBlockedParksTheRun() throws Exception {
    AgentId child = new AgentId("acme", "lab", "child");
    dispatcher.outcome(action -> ActionResult.blocked(action.actionId(), "waits", List.of(child)));
    ActionPolicyIterationResult result =
        next(policy(state -> new Decision.Act(Action.of("a1", "notes.write", null))));
    assertThat(result.blockedReason()).contains("waits");
    assertThat(result.blockingAgentIds()).containsExactly(child);
    assertThat(result.error()).isEmpty();
  }

  @Test
  void everyOtherDecisionBecomesItsResult() throws Exception {
    ErrorContext error = ErrorContext.of("policy", "no way");
    ActionPolicyOutput output = ActionPolicyOutput.of(json("1"));
    assertThat(next(policy(state -> new Decision.Complete(output))))
        .isEqualTo(ActionPolicyIterationResult.completed(output));
    assertThat(next(policy(state -> new Decision.Idle())).idle()).isTrue();
    assertThat(next(policy(state -> new Decision.Skip())))
        .isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(next(policy(state -> new Decision.Blocked("waits", List.of()))).blockedReason())
        .contains("waits");
    ActionPolicyIterationResult failed = next(policy(state -> new Decision.Fail(error)));
    assertThat(failed.policyCompleted()).isTrue();
    assertThat(failed.requiresTermination()).isFalse();
    assertThat(failed.error()).contains(error);
    ActionPolicyIterationResult ended = next(policy(state -> new Decision.Terminate(error)));
    assertThat(ended.requiresTermination()).isTrue();
    assertThat(ended.error()).contains(error);
  }

  @Test
  void phasesOfAPolicyAlternateThroughItsOwnEntries() throws Exception {
    Played policy =
        policy(state -> {
          String phase = state.custom().path("phase").asText("act");
          if (phase.equals("process")) {
            state.custom().put("phase", "act");
            return new Decision.Skip();
          }
          if (state.history().size() == 2) {
            return Decision.Complete.with(json("\"done\""));
          }
          state.custom().put("phase", "process");
          return new Decision.Act(
              Action.of("a" + state.history().size(), "notes.search", json("{}")));
        });
    PolicyRun run = new PolicyRun(policy, json("{}"));
    List<Boolean> acted = new ArrayList<>();
    ActionPolicyIterationResult result = run.next();
    while (!result.policyCompleted()) {
      acted.add(result.call().isPresent());
      result = run.next();
    }
    assertThat(acted).containsExactly(true, false, true, false);
    assertThat(run.state.result("a1")).isPresent();
  }

  @Test
  void aWrongInputFailsTheRunBeforeTheFirstStep() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().input("query", String.class).build();
    Played policy = new Played(context(agent), io, state -> new Decision.Skip());
    PolicyRun run = new PolicyRun(policy, json("{\"query\": 7}"));
    ActionPolicyIterationResult result = run.next();
    assertThat(result.policyCompleted()).isTrue();
    assertThat(result.success()).isFalse();
    assertThat(result.error().orElseThrow().kind()).isEqualTo("input");
    assertThat(result.error().orElseThrow().message()).startsWith("input query: ");
    assertThat(policy.steps).isZero();
  }

  @Test
  void goalsThatAreNoTextsFailTheRunByName() throws Exception {
    ActionPolicyIterationResult result =
        new PolicyRun(policy(state -> new Decision.Skip()), json("{\"goals\": [1]}")).next();
    assertThat(result.error().orElseThrow().message()).startsWith("input goals: ");
  }

  @Test
  void theEventsThatStartARunAreNotHeldAgainstTheDeclaredInput() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().input("query", String.class).build();
    Played policy = new Played(context(agent), io, state -> new Decision.Idle());
    assertThat(new PolicyRun(policy, "woken", json("{\"events\": []}")).next().idle()).isTrue();
  }

  @Test
  void aWrongResultFailsTheRunByTheFieldsName() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().output("result", String.class).build();
    Played wrong =
        new Played(context(agent), io, state -> Decision.Complete.with(json("{\"result\": 1}")));
    ActionPolicyIterationResult result = new PolicyRun(wrong, json("{}")).next();
    assertThat(result.success()).isFalse();
    assertThat(result.error().orElseThrow().kind()).isEqualTo("output");
    assertThat(result.error().orElseThrow().message()).startsWith("output result: ");
  }

  @Test
  void aRunThatDidNotReachItsGoalsMayLackTheResult() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().output("result", String.class).build();
    ActionPolicyOutput partial = new ActionPolicyOutput(false, null, null, List.of("too hard"));
    Played policy = new Played(context(agent), io, state -> new Decision.Complete(partial));
    assertThat(new PolicyRun(policy, json("{}")).next().output()).contains(partial);
  }

  @Test
  void aPolicyThatDecidesNothingIsNamed() {
    assertThatThrownBy(() -> next(policy(state -> null)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Played decided nothing in iteration 0 of run r1");
  }

  @Test
  void plannersSeeTheActiveActionsThatAreMeantForThem() throws Exception {
    Played policy = policy(state -> new Decision.Skip());
    PolicyRun run = new PolicyRun(policy, json("{}"));
    run.next();
    assertThat(policy.plannedActions(run.state))
        .flatExtracting(ActionGroup::actions)
        .extracting(ActionDescription::key)
        .containsExactly("notes.write", "notes.search");
    run.state.disableAgentCapabilities(Set.of("notes"));
    assertThat(policy.plannedActions(run.state)).isEmpty();
    run.state.useAgentCapabilities(Set.of("notes"));
    assertThat(policy.plannedActions(run.state)).hasSize(1);
  }
}
