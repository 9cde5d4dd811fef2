package dev.colony.agent.author;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.library.policy.FakeDispatcher;
import dev.colony.library.policy.PolicyRun;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An action that waits for a person is dispatched again when the answer is there. */
class RepeatTest {

  private static final ResumptionCondition.Approved PAY = new ResumptionCondition.Approved("pay-1");

  private final FakeDispatcher dispatcher = FakeDispatcher.notes();
  private final Deque<Decision> decisions = new ArrayDeque<>();
  private final PolicyRun run = new PolicyRun(policy(), json("{}"));

  private BaseActionPolicy policy() {
    return new BaseActionPolicy(
        new PolicyContext(TestAgent.named("tester"), dispatcher, List.of())) {
      @Override
      protected Decision planStep(ActionPolicyExecutionState state) {
        return decisions.remove();
      }
    };
  }

  private static Decision.Act act(String id) {
    return new Decision.Act(Action.of(id, "notes.write", json("{\"text\": \"x\"}")));
  }

  private void asks() {
    dispatcher.outcome(action -> ActionResult.blocked(action.actionId(), "asks", PAY));
  }

  private void answer(boolean granted) {
    run.approvals.put("pay-1", new Approval("pay-1", granted, "lead", "", PolicyRun.AT));
  }

  @Test
  void theSameActionIsDispatchedAgainWithoutDecidingAnew() throws Exception {
    asks();
    decisions.add(act("pay"));
    ActionPolicyIterationResult asked = run.next();
    assertThat(asked.until()).contains(PAY);
    assertThat(asked.blockedReason()).contains("asks");
    answer(true);
    dispatcher.outcome(action -> ActionResult.succeeded(action.actionId(), json("1")));
    assertThat(run.next().success()).isTrue();
    Action repeated = dispatcher.dispatched.getLast();
    assertThat(repeated).isEqualTo(Action.of("pay~2", "notes.write", json("{\"text\": \"x\"}")));
    decisions.add(new Decision.Idle());
    assertThat(run.next().idle()).isTrue();
    assertThat(run.state.result("pay").orElseThrow().output()).isEqualTo(json("1"));
  }

  @Test
  void aDenialReachesTheHistory() throws Exception {
    asks();
    decisions.add(act("pay"));
    run.next();
    answer(false);
    dispatcher.outcome(action ->
        ActionResult.unsuccessful(
            action.actionId(), ActionResult.Status.REFUSED, "denied by lead"));
    run.next();
    decisions.add(new Decision.Idle());
    run.next();
    assertThat(run.state.result("pay").map(ActionResult::error)).contains("denied by lead");
    assertThat(run.state.approval("pay-1").map(Approval::granted)).contains(false);
  }

  @Test
  void aRunDoesNotEndIdleWhileSomebodyHasStillToAnswer() throws Exception {
    asks();
    decisions.add(act("pay"));
    run.next();
    decisions.add(new Decision.Idle());
    ActionPolicyIterationResult result = run.next();
    assertThat(result.idle()).isFalse();
    assertThat(result.until()).contains(PAY);
  }

  @Test
  void eachOfSeveralIsRepeatedOnceAndInItsOrder() throws Exception {
    dispatcher.outcome(action ->
        ActionResult.blocked(
            action.actionId(), "asks", new ResumptionCondition.Approved(action.actionId() + "-1")));
    decisions.add(act("hire"));
    decisions.add(act("pay"));
    run.next();
    run.next();
    for (String request : List.of("hire-1", "pay-1")) {
      run.approvals.put(request, new Approval(request, true, "lead", "", PolicyRun.AT));
    }
    dispatcher.outcome(action -> ActionResult.succeeded(action.actionId(), json("1")));
    run.next();
    run.next();
    decisions.add(new Decision.Skip());
    run.next();
    assertThat(dispatcher.dispatched)
        .extracting(Action::actionId)
        .containsExactly("hire", "pay", "hire~2", "pay~2");
  }

  @Test
  void aBlockedDecisionCarriesItsCondition() throws Exception {
    decisions.add(Decision.blocked("waits", PAY));
    ActionPolicyIterationResult result = run.next();
    assertThat(result.until()).isEqualTo(Optional.of(PAY));
    assertThat(result.blockingAgentIds()).isEmpty();
  }
}
