package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.clerk;
import static dev.colony.library.plan.PlanScript.done;
import static dev.colony.library.plan.PlanScript.object;
import static dev.colony.library.plan.PlanScript.part;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static dev.colony.library.plan.PlanScript.request;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.RunId;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which order a model is asked for plans, over HTTP. */
class PlanHorizonsTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(String horizon) {
    PlanArgs args = PlanArgs.NONE.rules(PlanArgs.Rules.DEFAULTS.horizon(horizon));
    return TestAgent.of(clerk(args)).types(TYPES).model(model).start();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void topDownAllPartsArePlannedBeforeAnyActionIsExecuted(boolean tools) {
    FakeModel server = tools ? model : model.withoutTools();
    ObjectNode result = object().put("x", "$results.x").put("y", "$results.y");
    plans(
        server.expect("Plan parts first, as actions with a goal", "Plan how your goals"),
        plan(part("x", "the first part"), write("z", "loose"), part("y", "the second part"))
            .set("result", result));
    plans(
        server.expect("the first part (x)", "- z [pending]", "- y [pending]"),
        plan(write("w", "one"), part("v", "the inner part")).put("result", "$results.v"));
    plans(
        server.expect("the inner part (x.v)", "  - w [pending]"),
        plan(write("w", "inner")).put("result", "$results.w.text"));
    plans(
        server.expect("the second part (y)", "  - w [pending]", "- z [pending]"),
        plan(write("w", "two")).put("result", "$results.w.text"));
    try (TestAgent agent = agent("top-down")) {
      JsonNode output = agent.run("Divide it").output();
      assertThat(output.path("x").asText()).isEqualTo("inner");
      assertThat(output.path("y").asText()).isEqualTo("two");
      assertThat(done(agent)).containsExactlyInAnyOrder("x.w", "x.v.w", "y.w", "z");
      assertThat(model.count()).isEqualTo(4);
    }
  }

  @Test
  void stepByStepAPartIsPlannedWhenItsTurnComes() {
    plans(
        model.expect("Plan the next few actions"),
        plan(write("z", "first"), part("x", "the part", "z")).put("result", "$results.x"));
    plans(
        model.expect("the part (x)", "- z [done]"),
        plan(write("w", "one")).put("result", "$results.w.text"));
    try (TestAgent agent = agent("mpc")) {
      assertThat(agent.run("Go on").output().asText()).isEqualTo("one");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bottomUpWhatAggregatesIsExecutedWhenAllPartsAreDone(boolean tools) {
    FakeModel server = tools ? model : model.withoutTools();
    plans(
        server.expect("Plan one action for each page or part", "and one that aggregates them"),
        plan(
                write("sum", "all", "aggregates", BooleanNode.TRUE),
                write("p1", "one"),
                action("p2", "desk.sign", Map.of("paper", "two")),
                part("p3", "the third part"))
            .put("result", "$results.sum.text"));
    plans(server.expect("the third part (p3)"), plan(write("w", "x")).put("result", "three"));
    try (TestAgent agent = agent("bottom-up")) {
      RunId run = agent.ask("Add up");
      agent.settle();
      assertThat(done(agent)).contains("p1", "p2", "p3.w").doesNotContain("sum");
      agent.handle().approve(request(agent, "p2"), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("all");
      assertThat(done(agent)).endsWith("sum");
    }
  }

  @Test
  void bottomUpAPartThatFailsIsReplannedBeforeTheSum() {
    plans(
        model.expect("Plan one action for each page or part"),
        plan(
                write("p1", "one"),
                action("p2", "desk.burn", Map.of("paper", "two")),
                write("sum", "all", "aggregates", BooleanNode.TRUE))
            .put("result", "$results.sum.text"));
    plans(
        model.expect("failed: `p2` failed", "- sum [pending]"),
        plan(write("p2", "instead")).put("mode", "add").put("result", "$results.sum.text"));
    try (TestAgent agent = agent("bottom-up")) {
      assertThat(agent.run("Add up").output().asText()).isEqualTo("all");
      assertThat(done(agent)).containsExactlyInAnyOrder("p1", "p2", "p2-2", "sum").endsWith("sum");
    }
  }
}
