package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.Decision;
import dev.colony.agent.ModelCall;
import dev.colony.agent.ModelFailure;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the planner makes of policies that break their own rules. */
class PlannerTest {

  private static final JsonNode NOTHING = JsonNodeFactory.instance.nullNode();
  private static final Decision ASK =
      new Decision.Infer(new ModelCall("", List.of(), "?", Optional.empty(), 1));

  private final Life life = new Life(new Script(List.of()), () -> false);

  PlannerTest() {
    life.recover();
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
  }

  @Test
  void aRunThatNeverEndsIsEndedByTheStepLimit() {
    for (int i = 0; i < Life.LIMITS.maxSteps(); i++) {
      complete("a" + i);
    }
    assertThat(failure(view -> act("more"))).isEqualTo("the run took 100 steps, as many as it may");
  }

  @Test
  void aPolicyThatThrowsFailsTheRun() {
    assertThat(
            failure(view -> {
              throw new IllegalArgumentException("no query");
            }))
        .isEqualTo("the policy failed: java.lang.IllegalArgumentException: no query");
  }

  @Test
  void theModelIsAskedOncePerStep() {
    life.tell(new AgentCommand.RecordReply(Life.reply("c", "text"), false, Life.AT));
    assertThat(failure(view -> ASK)).isEqualTo("the policy asked the model twice within a step");
  }

  @Test
  void anActionIdIsUsedOnce() {
    complete("a");
    assertThat(failure(view -> act("a"))).isEqualTo("the policy chose the action id a twice");
  }

  @Test
  void anOutputBeyondTheLimitFailsTheRun() {
    JsonNode large = JsonNodeFactory.instance.textNode("x".repeat(10_001));
    assertThat(failure(view -> new Decision.Complete(large)))
        .isEqualTo("the output is larger than 10000 bytes");
    assertThat(failure(view -> new Decision.Act(Action.internal("a", "k", large))))
        .isEqualTo("the parameters of a are larger than 10000 bytes");
  }

  @Test
  void aModelFailureFailsTheRunUnlessThePolicyKnowsBetter() {
    life.tell(
        new AgentCommand.RecordModelFailure(new ModelFailure("nobody answers", true), Life.AT));
    assertThat(failure(view -> ASK)).isEqualTo("nobody answers");
  }

  @Test
  void residencyIsCountedForTheFirstPagedCallOnly() {
    life.tell(new AgentCommand.RecordReply(Life.reply("c", "text"), false, Life.AT));
    complete("a");
    life.tell(new AgentCommand.RecordReply(Life.reply("c", "text"), true, Life.AT));
    complete("b");
    life.tell(new AgentCommand.RecordReply(Life.reply("c", "text"), true, Life.AT));
    var stats = life.state.active().orElseThrow().stats();
    assertThat(stats.placementHits()).isEqualTo(1);
    assertThat(stats.placementMisses()).isZero();
    assertThat(stats.modelCalls()).isEqualTo(3);
    assertThat(stats.usage().promptTokens()).isEqualTo(15);
  }

  private void complete(String actionId) {
    life.tell(new AgentCommand.CompleteStep(ActionOutcome.succeeded(actionId, NOTHING), Life.AT));
  }

  private static Decision act(String actionId) {
    return new Decision.Act(Action.internal(actionId, "k", NOTHING));
  }

  private String failure(ActionPolicy policy) {
    Work work =
        new Planner(Life.AGENT, policy, Optional.empty(), Life.LIMITS).next(life.state, Life.AT);
    AgentCommand command = ((Work.Tell) work).command();
    return ((AgentCommand.CompleteRun) command).run().error().orElseThrow();
  }
}
