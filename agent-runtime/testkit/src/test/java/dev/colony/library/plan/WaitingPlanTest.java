package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.clerk;
import static dev.colony.library.plan.PlanScript.done;
import static dev.colony.library.plan.PlanScript.list;
import static dev.colony.library.plan.PlanScript.part;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static dev.colony.library.plan.PlanScript.request;
import static dev.colony.library.plan.PlanScript.undo;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Write;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans that wait: for answers, approvals and events, also beyond the death of their node. */
class WaitingPlanTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return TestAgent.of(clerk(args)).types(TYPES).model(model).start();
  }

  @Test
  void anEscalationWaitsDurablyForTheSupervisorsAnswer() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.burn", Map.of("paper", "x"))));
    model.expect("failed: `a` failed").calls("escalate", Map.of("question", "May I tear it?"));
    model
        .expect("answered: eve says yes: tear it gently")
        .calls("complete", Map.of("result", "torn"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Burn it");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      assertThat(
              agent
                  .blackboard()
                  .read("escalations/r1-1")
                  .toCompletableFuture()
                  .join()
                  .orElseThrow()
                  .value()
                  .path("question")
                  .asText())
          .isEqualTo("May I tear it?");
      agent.crash();
      assertThat(agent.result(run)).isEmpty();
      agent.handle().approve("escalation-1", "eve", "tear it gently").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("torn");
    }
  }

  @Test
  void aPlanOfThreeLevelsGoesOnInTheMiddleOfTheThirdWhenItsNodeHasDied() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(write("a", "one"), part("b", "the second level", "a")).put("result", "$results.b"));
    plans(
        model.expect("the second level (b)", "- a [done]"),
        plan(part("c", "the third level")).put("result", "$results.c.text"));
    plans(
        model.expect("the third level (b.c)", "  - c [pending]"),
        plan(
            write("d", "deep"),
            action("e", "desk.sign", Map.of("paper", "$results.d.text"), "after", list("d")),
            write("f", "$results.e", "after", list("e"))));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Go deep");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      assertThat(done(agent)).contains("a", "b.c.d", "b.c.e");
      agent.crash();
      agent.handle().approve(request(agent, "b.c.e"), "eve", "").join();
      agent.settle();
      AgentRun ended = agent.result(run).orElseThrow();
      assertThat(ended.error()).isEmpty();
      assertThat(ended.output().asText()).isEqualTo("signed deep");
      assertThat(ended.stats().modelCalls()).isEqualTo(3);
      assertThat(done(agent)).filteredOn("b.c.d"::equals).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPersonIsAskedAboutAnActionAndTheRestGoesOnMeanwhile(boolean yes) {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.sign", Map.of("paper", "x")), write("b", "meanwhile"))
            .put("result", "$results.a"));
    if (!yes) {
      model
          .expect("failed: `a` failed: denied by eve: keep it")
          .calls("complete", Map.of("result", "kept"));
    }
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Tidy up");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      assertThat(done(agent)).containsExactlyInAnyOrder("a", "b");
      if (yes) {
        agent.handle().approve(request(agent, "a"), "eve", "").join();
      } else {
        agent.handle().deny(request(agent, "a"), "eve", "keep it").join();
      }
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText())
          .isEqualTo(yes ? "signed x" : "kept");
    }
  }

  @Test
  void thePlanIsKeptInTheAgentsOwnEntries() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.sign", Map.of("paper", "x"))).put("result", "$results.a"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Sign");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      agent.crash();
      agent.handle().deny(request(agent, "a"), "eve", "no ink").join();
      model.expect("failed: `a` failed", "no ink").calls("complete", Map.of("result", "unsigned"));
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("unsigned");
    }
  }

  @Test
  void aPlanIsCarriedOutOnceHoweverItsNodeDies() {
    ObjectNode plan =
        plan(
                write("a", "one", "undo", undo("$results.a.text")),
                write("b", "two", "undo", undo("$results.b.text")),
                action("c", "desk.burn", Map.of("paper", "$results.a.text")))
            .put("result", "$results.c");
    ObjectNode back =
        plan(write("d", "three"))
            .put("mode", "backtrack")
            .put("back_to", "a")
            .put("result", "$results.d.text");
    int walked =
        KillPoint.walk(kill -> {
          try (FakeModel scripted = FakeModel.start()) {
            scripted.expect("Plan how your goals are reached.").anyTimes().calls("plan", plan);
            scripted.expect("failed: `c` failed").anyTimes().calls("plan", back);
            try (TestAgent agent =
                TestAgent.of(clerk(PlanArgs.NONE))
                    .types(TYPES)
                    .model(scripted)
                    .killed(kill)
                    .start()) {
              AgentRun run = agent.run("Write");
              assertThat(run.error()).as("killed %s", kill).isEmpty();
              assertThat(run.output().asText()).isEqualTo("three");
              assertThat(done(agent))
                  .as("killed %s", kill)
                  .containsExactlyInAnyOrder("a", "b", "c", "b.undo", "a.undo", "d");
              assertThat(run.stats().modelCalls()).as("killed %s", kill).isEqualTo(2);
            }
          }
        });
    assertThat(walked).isGreaterThan(10);
  }

  @Test
  void anEventThatBreaksAnAssumptionRevisesThePlanWhileItWaits() {
    ObjectNode plan = plan(action("a", "desk.sign", Map.of("paper", "x")), write("b", "y"));
    plan.putArray("assumptions").add("inbox:*");
    plans(model.expect("Plan how your goals are reached."), plan);
    plans(
        model.expect(
            "assumption: inbox:1 has changed",
            "event: {\"letter\":",
            "do not sign",
            "- a [waiting]"),
        plan(write("c", "as you wish")).put("result", "$results.c.text"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Sign");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      agent
          .blackboard()
          .write(Write.of("inbox:1", JsonNodeFactory.instance.textNode("do not sign")))
          .toCompletableFuture()
          .join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("as you wish");
      assertThat(done(agent)).containsExactlyInAnyOrder("a", "b", "c");
    }
  }

  @Test
  void anAgentThatAnEventWakesPlansForItAndIsIdleAgain() {
    plans(
        model.expect("Plan how your goals are reached.", "please write"),
        plan(write("a", "a letter")));
    model.expect("exhausted").calls("idle", Map.of());
    model.expect("Plan how your goals are reached.", "thank you").calls("idle", Map.of());
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      for (String text : List.of("please write", "thank you")) {
        agent
            .blackboard()
            .write(Write.of("inbox:1", JsonNodeFactory.instance.textNode(text)))
            .toCompletableFuture()
            .join();
        agent.settle();
      }
      assertThat(done(agent)).containsExactly("a");
    }
  }
}
