package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.clerk;
import static dev.colony.library.plan.PlanScript.done;
import static dev.colony.library.plan.PlanScript.list;
import static dev.colony.library.plan.PlanScript.object;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static dev.colony.library.plan.PlanScript.undo;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that a model makes plans for, over HTTP, against servers with tools and without. */
class CacheAwareActionPolicyTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return TestAgent.of(clerk(args)).types(TYPES).model(model).start();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPlanIsCarriedOutWithoutAskingAgainWhereNothingDeviates(boolean tools) {
    FakeModel server = tools ? model : model.withoutTools();
    plans(
        server.expect("## Goals\n- Greet", "Plan how your goals are reached.", "`desk.write`"),
        plan(
                write("a", "hello "),
                write("b", "world"),
                action(
                    "c",
                    "desk.join",
                    Map.of("left", "$results.a.text", "right", "$results.b.text")))
            .put("result", "$results.c"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().asText()).isEqualTo("hello world");
      assertThat(run.stats().modelCalls()).isEqualTo(1);
      assertThat(done(agent)).containsExactlyInAnyOrder("a", "b", "c").endsWith("c");
    }
    assertThat(model.prompts().getFirst().offers("plan")).isEqualTo(tools);
  }

  @Test
  void aFailedActionIsToldToThePlannerWhichRevises() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(
            action("a", "desk.burn", Map.of("paper", "wet paper")), write("b", "$results.a.text")));
    plans(
        model.expect("failed: `a` failed: ", "wet paper does not burn", "- a [failed] `desk.burn`"),
        plan(write("a", "instead")).put("mode", "add").put("result", "$results.b.text"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Burn it");
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("instead");
      assertThat(done(agent)).containsExactly("a", "a-2", "b");
    }
  }

  @Test
  void anOutputThatIsNotAsExpectedAsksThePlannerWhichMayGoOn() {
    ObjectNode expects = object().put("words", "five letters");
    expects.putObject("equal").put("length", 5);
    plans(
        model.expect("Plan how your goals are reached."),
        plan(write("a", "hello", "expects", expects), write("b", "hi", "expects", expects))
            .put("result", "$results.b.text"));
    model.expect("unexpected: `b`: length is 2, not 5").calls("go_on", Map.of());
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      assertThat(agent.run("Write").output().asText()).isEqualTo("hi");
    }
  }

  @Test
  void anExhaustedPlanAsksWhetherTheGoalIsReached() {
    plans(model.expect("Plan how your goals are reached."), plan(write("a", "one")));
    plans(
        model.expect("exhausted: all actions of the plan are done"),
        plan(write("b", "two")).put("mode", "add"));
    model.expect("exhausted", "- b [done]").calls("complete", Map.of("result", "$results.b.text"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      assertThat(agent.run("Write").output().asText()).isEqualTo("two");
    }
  }

  @Test
  void aCompletionThatDoesNotFitGoesBackToThePlanner() {
    PlannerArgs counting =
        PlannerArgs.NONE.io(ActionPolicyIO.builder().output("count", Integer.class).build());
    plans(
        model.expect("Plan how your goals are reached."),
        plan(write("a", "one")).set("result", object().put("count", "$results.a.text")));
    model
        .expect("refused: ", "count")
        .calls("complete", Map.of("result", Map.of("count", "$results.a.length")));
    try (TestAgent agent = agent(PlanArgs.NONE.planner(counting))) {
      assertThat(agent.run("Count").output().path("count").asInt()).isEqualTo(3);
    }
  }

  @Test
  void goingBackTakesBackWhatWasDoneInReverseOrder() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(
            write("a", "one", "undo", undo("$results.a.text")),
            write("b", "two", "undo", undo("$results.b.text"), "after", list("a")),
            action("c", "desk.burn", Map.of("paper", "x"), "after", list("b"))));
    plans(
        model.expect("failed: `c` failed"),
        plan(write("d", "other"))
            .put("mode", "backtrack")
            .put("back_to", "a")
            .put("result", "$results.d.text"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      assertThat(agent.run("Write").output().asText()).isEqualTo("other");
      assertThat(done(agent)).containsExactly("a", "b", "c", "b.undo", "a.undo", "d");
    }
  }

  @Test
  void aReplyThatCannotBeCarriedOutIsRepairedOnceInWordsThatHelp() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.write", Map.of()), write("b", "x", "after", list("z"))));
    plans(
        model.expect("`a`: `text` (text) is missing. `desk.write` takes text (text): what it says"),
        plan(write("a", "hi")).put("result", "$results.a.text"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      assertThat(agent.run("Write").output().asText()).isEqualTo("hi");
    }
  }

  @Test
  void optionsThatAreNoneAreRefusedWhereTheyAreWritten() {
    PlanArgs.Rules sideways = PlanArgs.Rules.DEFAULTS.horizon("sideways");
    assertThatThrownBy(() -> PlanArgs.NONE.rules(sideways))
        .hasMessage("sideways is none of mpc, top-down, bottom-up");
    PlanArgs.Rules endless = PlanArgs.Rules.DEFAULTS.maxReplanCycles(1001);
    assertThatThrownBy(() -> PlanArgs.NONE.rules(endless))
        .hasMessage("maxReplanCycles is 1001, but must be 0 to 1000");
  }
}
