package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Steps that perform several actions, each of which is durable by itself. */
class SeveralActionsTest {

  private final Life life = LifeIn.phase(Phase.ITERATING);

  @Test
  void theCallsEnterTheHistoryWithTheStepInTheOrderInWhichTheyEnded() {
    life.tell(LifeIn.begin("a1", true));
    life.tell(LifeIn.begin("a2", false));
    life.tell(LifeIn.end("a3"));
    life.tell(LifeIn.end("a2"));
    life.tell(LifeIn.end("a1"));
    assertThat(run().history()).isEmpty();
    life.tell(LifeIn.step(ActionPolicyIterationResult.skipped()));
    assertThat(ids(run().history())).containsExactly("a3", "a2", "a1");
    assertThat(run().actions()).isEqualTo(StepActions.NONE);
    assertThat(last(AgentEvent.StepCompleted.class).call()).isEmpty();
  }

  @Test
  void whatTheyTakeCountsOnceFromTheirEndOn() {
    life.tell(LifeIn.end("a1"));
    RunStats ended = run().stats();
    assertThat(ended.usage().promptTokens()).isEqualTo(2);
    assertThat(ended.cost()).isPositive();
    life.tell(LifeIn.step(ActionPolicyIterationResult.skipped()));
    assertThat(run().stats().usage()).isEqualTo(ended.usage());
    assertThat(run().stats().cost()).isEqualTo(ended.cost());
    assertThat(run().stats().steps()).isEqualTo(1);
  }

  @Test
  void afterACrashTheIterationIsExecutedAgainWithWhatIsKnownOfItsActions() {
    life.tell(LifeIn.begin("a1", true));
    life.tell(LifeIn.end("a2"));
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
    StepActions known = ((AgentEffect.Iterate) life.work()).run().actions();
    assertThat(known.begun()).containsOnlyKeys("a1");
    assertThat(ids(known.ended())).containsExactly("a2");
    assertThat(refusal(LifeIn.end("a2"))).isEqualTo("the policy chose the action id a2 twice");
    assertThat(life.tell(LifeIn.begin("a1", true))).isInstanceOf(Verdict.Journal.class);
    assertThat(refusal(LifeIn.begin("a1", true)))
        .isEqualTo("the policy chose the action id a1 twice");
    assertThat(life.tell(LifeIn.end("a1"))).isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void whatMustNotBeRepeatedDoesNotBeginAgain() {
    life.tell(LifeIn.begin("a1", false));
    life.recover();
    assertThat(refusal(LifeIn.begin("a1", false)))
        .isEqualTo("the policy chose the action id a1 twice");
  }

  @Test
  void anActionWithoutAnEndIsInterruptedWhenTheStepEnds() {
    life.tell(LifeIn.begin("a1", true));
    life.recover();
    life.tell(LifeIn.step(ActionPolicyIterationResult.skipped()));
    ActionCall call = run().history().getLast();
    assertThat(call.action().actionId()).isEqualTo("a1");
    assertThat(call.result().status()).isEqualTo(ActionResult.Status.INTERRUPTED);
  }

  @Test
  void aCancelledRunWaitsForWhatHasBegunAndForNothingElse() {
    Effects effects =
        new Effects(Life.AGENT, Optional.empty(), () -> Optional.of(false), Life.LIMITS);
    life.tell(LifeIn.begin("a1", true));
    life.tell(LifeIn.begin("a2", true));
    life.cancel("r1");
    assertThat(effects.cutsOff(life.state, life.now)).isFalse();
    assertThat(refusal(LifeIn.begin("a3", true))).contains("does not fit");
    life.tell(LifeIn.end("a1"));
    assertThat(effects.cutsOff(life.state, life.now)).isFalse();
    assertThat(effects.next(life.state, life.now)).isInstanceOf(AgentEffect.Nothing.class);
    life.lifecycle.decide(life.state, LifeIn.end("a2"));
    life.tell(LifeIn.end("a2"));
    life.live();
    assertThat(ids(endedCalls())).containsExactly("a1", "a2");
    assertThat(endedCalls()).allMatch(call -> call.result().success());
    assertThat(life.published.get(new RunId("r1")).status()).isEqualTo(AgentRun.Status.CANCELLED);
  }

  @Test
  void ofARunThatIsToEndNothingBeginsAgainAndTheHistorySaysSo() {
    life.tell(LifeIn.begin("a1", true));
    life.tell(LifeIn.end("a2"));
    life.cancel("r1");
    life.recover();
    life.live();
    assertThat(life.executions).isEmpty();
    assertThat(endedCalls())
        .extracting(call -> call.action().actionId() + " " + call.result().status())
        .containsExactly("a2 SUCCEEDED", "a1 INTERRUPTED");
    AgentRun run = life.published.get(new RunId("r1"));
    assertThat(run.status()).isEqualTo(AgentRun.Status.CANCELLED);
    assertThat(run.stats().steps()).isEqualTo(1);
  }

  @Test
  void aSuspendedAgentLetsWhatHasBegunEndAndGoesOnFromThere() {
    life.tell(LifeIn.begin("a1", true));
    life.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.tell(LifeIn.end("a1"))).isInstanceOf(Verdict.Journal.class);
    assertThat(life.work()).isNotInstanceOf(AgentEffect.Iterate.class);
    life.resume(1);
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
    assertThat(ids(((AgentEffect.Iterate) life.work()).run().actions().ended()))
        .containsExactly("a1");
  }

  @Test
  void aStepDispatchesOneActionOrPerformsSeveral() {
    life.tell(LifeIn.end("a1"));
    assertThat(refusal(LifeIn.intend()))
        .isEqualTo("the step performs several actions, each by itself");
    life.tell(LifeIn.act("a0"));
    assertThat(last(AgentEvent.RunCompleted.class).run().error())
        .contains("the policy performs several actions and reports one as the only one");
  }

  @Test
  void aStepHasNoMoreActionsThanItMay() {
    for (int i = 1; i <= Life.LIMITS.step().actions(); i++) {
      assertThat(life.tell(LifeIn.end("a" + i))).isInstanceOf(Verdict.Journal.class);
    }
    String refused = "a step has no more than 4 actions";
    assertThat(refusal(LifeIn.end("a9"))).isEqualTo(refused);
    assertThat(refusal(LifeIn.begin("a9", true))).isEqualTo(refused);
  }

  @Test
  void aResultThatIsTooLargeIsLeftOutAndTheActionFailsAndSaysWhy() {
    StepActions none = StepActions.NONE;
    ActionCall large = call("a1", JsonNodeFactory.instance.textNode("x".repeat(10_001)));
    assertThat(none.fitting(large, Life.LIMITS).result().error())
        .isEqualTo(
            "it ended as SUCCEEDED, but its record is larger than 10000 bytes, which is"
                + " colony.agent.max-output");
    ActionCall half = call("a1", JsonNodeFactory.instance.textNode("x".repeat(3_000)));
    assertThat(none.fitting(half, Life.LIMITS)).isEqualTo(half);
    ActionCall second =
        none.ended(half, Optional.empty()).fitting(call("a2", half.result().output()), Life.LIMITS);
    assertThat(second.result().status()).isEqualTo(ActionResult.Status.FAILED);
    assertThat(second.result().error()).endsWith("5000 bytes");
    assertThat(second.result().usage()).isEqualTo(half.result().usage());
    assertThat(life.tell(new AgentCommand.EndAction(half, Optional.empty(), Life.AT)))
        .isInstanceOf(Verdict.Journal.class);
    assertThat(life.tell(new AgentCommand.EndAction(second, Optional.empty(), Life.AT)))
        .isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void aResultThatCannotBeWrittenIsAFailedActionAndNoBrokenAgent() {
    ActionCall torn = call("a1", JsonNodeFactory.instance.textNode("\ud800"));
    assertThat(refusal(new AgentCommand.EndAction(torn, Optional.empty(), Life.AT)))
        .contains("the output of action a1");
    ActionCall told = StepActions.NONE.fitting(torn, Life.LIMITS);
    assertThat(told.result().status()).isEqualTo(ActionResult.Status.FAILED);
    assertThat(life.tell(new AgentCommand.EndAction(told, Optional.empty(), Life.AT)))
        .isInstanceOf(Verdict.Journal.class);
  }

  @Test
  void whatPeopleHaveApprovedIsUsedUpWithTheActionThatIsKnown() {
    Action pay = Action.of("a1", "pay", JsonNodeFactory.instance.objectNode());
    life.tell(new AgentCommand.BeginAction(pay, true, Optional.of("pay-1"), Life.AT));
    life.recover();
    life.tell(new AgentCommand.BeginAction(pay, true, Optional.empty(), Life.AT));
    life.tell(LifeIn.end("a1"));
    life.recover();
    assertThat(run().actions().approvals().values()).containsExactly("pay-1");
  }

  private ActionCall call(String id, JsonNode output) {
    Action action = Action.of(id, "echo", JsonNodeFactory.instance.objectNode());
    return new ActionCall(
        action,
        ActionResult.succeeded(id, output).usage(ScriptedIteration.succeeded(action).usage()));
  }

  private List<ActionCall> endedCalls() {
    return life.journal.stream()
        .filter(AgentEvent.ActionEnded.class::isInstance)
        .map(event -> ((AgentEvent.ActionEnded) event).call())
        .toList();
  }

  private static List<String> ids(List<ActionCall> calls) {
    return calls.stream().map(call -> call.action().actionId()).toList();
  }

  private ActiveRun run() {
    return life.state.active().orElseThrow();
  }

  private String refusal(AgentCommand command) {
    return ((Verdict.Refused) life.lifecycle.decide(life.state, command)).reason();
  }

  private <E extends AgentEvent> E last(Class<E> kind) {
    return life.journal.stream().filter(kind::isInstance).map(kind::cast).toList().getLast();
  }
}
