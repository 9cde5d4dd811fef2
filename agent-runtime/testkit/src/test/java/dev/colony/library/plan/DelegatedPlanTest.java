package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.TYPES;
import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.clerk;
import static dev.colony.library.plan.PlanScript.plan;
import static dev.colony.library.plan.PlanScript.plans;
import static dev.colony.library.plan.PlanScript.write;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.blackboard.Entry;
import dev.colony.node.NodeBounds;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Parts of plans that children of the agent carry out, which are agents as any other. */
class DelegatedPlanTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(1));

  /** A node that begins looks soon at those that wait. */
  static final NodeBounds QUICK =
      Bounds.resumption(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(1));

  private static final Pattern APPROVAL = Pattern.compile("has to approve (\\S+): ");
  private static final Pattern ASKED = Pattern.compile("\"question\":\"([A-Za-z0-9-]+)\"");

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestColony colony() {
    return TestColony.inMemory().types(TYPES).service(NodeBounds.class, QUICK).model(model).start();
  }

  private static AgentBlueprint boss(PlanArgs child) {
    return clerk(PlanArgs.NONE)
        .capability(CapabilityBlueprint.of(PlanScript.children("counter", clerk(child))));
  }

  /** A plan that has a child of the name {@code boss.c} do a part. */
  private static ObjectNode delegating() {
    ObjectNode part =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", "c")
            .put("goal", "count the words")
            .put("delegate", "counter");
    part.putObject("input").put("text", "$results.a.text");
    return plan(write("a", "two words"), part).put("result", "$results.c");
  }

  private Expectation parent(String... more) {
    String[] all = new String[more.length + 1];
    all[0] = "- Report";
    System.arraycopy(more, 0, all, 1, more.length);
    return model.expect(all);
  }

  private Expectation child(String... more) {
    String[] all = new String[more.length + 1];
    all[0] = "## Goals\n- count the words";
    System.arraycopy(more, 0, all, 1, more.length);
    return model.expect(all);
  }

  @Test
  void aChildThatIsGivenNothingIsShownNoInput() {
    ObjectNode part = delegating();
    ((ObjectNode) part.path("actions").get(1)).remove("input");
    plans(parent("Plan how your goals are reached.", "`agent_spawn`"), part);
    plans(
        child("Plan how your goals are reached."),
        plan(write("x", "counted")).put("result", "$results.x.length"));
    try (TestColony colony = colony()) {
      AgentRun run = LiveFixture.result(report(colony.spawn("boss", boss(PlanArgs.NONE))));
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
    }
    assertThat(model.prompts())
        .noneMatch(prompt -> prompt.text().contains("input: null"))
        .noneMatch(prompt -> prompt.text().contains("\n## Input"));
  }

  private static RunHandle report(AgentHandle boss) {
    return boss.run(Map.of("goals", "Report"), OPTIONS);
  }

  private static AgentHandle childOf(TestColony colony) {
    return colony.colony().agent(new AgentId(TestColony.NAME, TestColony.NAME, "boss.c"));
  }

  private static void awaitState(AgentHandle agent, AgentState state) {
    LiveFixture.await()
        .until(
            () -> LiveFixture.now(agent.state()).filter(one -> one.state() == state).isPresent());
  }

  @Test
  void whatAChildGivesIsTheResultOfThePart() {
    plans(parent("Plan how your goals are reached.", "`agent_spawn`"), delegating());
    plans(
        child("Plan how your goals are reached.", "two words"),
        plan(write("x", "counted")).put("result", "$results.x.length"));
    try (TestColony colony = colony()) {
      AgentRun run = LiveFixture.result(report(colony.spawn("boss", boss(PlanArgs.NONE))));
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asInt()).isEqualTo("counted".length());
      assertThat(run.stats().modelCalls()).as("of the parent").isEqualTo(1);
    }
  }

  @Test
  void aChildThatFailsIsAFailureOfThePartWhateverTriggersAreHeeded() {
    plans(parent("Plan how your goals are reached."), delegating());
    child("Plan how your goals are reached.").calls("fail", Map.of("reason", "no words"));
    plans(
        parent(
            "The part `c` of your plan has to be looked at",
            "failed: `await` failed: the task of boss.c is FAILED",
            "no words"),
        plan(write("own", "two")).put("mode", "add").put("result", "$results.own.text"));
    try (TestColony colony = colony()) {
      AgentRun run = LiveFixture.result(report(colony.spawn("boss", boss(PlanArgs.NONE))));
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("two");
    }
  }

  @Test
  void aChildThatIsStoppedIsAFailureOfThePart() {
    plans(parent("Plan how your goals are reached."), delegating());
    Expectation held = child("Plan how your goals are reached.").held();
    held.calls("complete", Map.of("result", "late"));
    parent("failed: `await` failed: the task of boss.c is")
        .calls("complete", Map.of("result", "without it"));
    try (TestColony colony = colony()) {
      RunHandle run = report(colony.spawn("boss", boss(PlanArgs.NONE)));
      held.await();
      LiveFixture.now(childOf(colony).stop("by an operator"));
      AgentRun ended = LiveFixture.result(run);
      assertThat(ended.error()).isEmpty();
      assertThat(ended.output().asText()).isEqualTo("without it");
    }
  }

  @Test
  void theParentIsSuspendedMeanwhileAndTheTaskStandsOnTheBlackboard() {
    plans(parent("Plan how your goals are reached."), delegating());
    plans(
        child("Plan how your goals are reached."),
        plan(action("x", "desk.sign", Map.of("paper", "p"))).put("result", "$results.x"));
    try (TestColony colony = colony()) {
      AgentHandle boss = colony.spawn("boss", boss(PlanArgs.NONE));
      RunHandle run = report(boss);
      awaitState(boss, AgentState.SUSPENDED);
      awaitState(childOf(colony), AgentState.SUSPENDED);
      Optional<Entry> task =
          LiveFixture.now(colony.blackboards().open(boss.id().scope(), "test").read("task:boss.c"));
      assertThat(task.orElseThrow().value().path("goal").asText()).isEqualTo("count the words");
      String waits = LiveFixture.now(childOf(colony).state()).orElseThrow().reason().orElseThrow();
      Matcher request = APPROVAL.matcher(waits);
      assertThat(request.find()).as(waits).isTrue();
      colony.crash();
      LiveFixture.now(childOf(colony).approve(request.group(1), "eve", ""));
      AgentRun ended =
          LiveFixture.result(colony.colony().agent(boss.id()).attach(run.runId(), OPTIONS));
      assertThat(ended.error()).isEmpty();
      assertThat(ended.output().asText()).isEqualTo("signed p");
    }
  }

  private void childAsks() {
    plans(parent("Plan how your goals are reached."), delegating());
    plans(
        child("Plan how your goals are reached."),
        plan(action("x", "desk.burn", Map.of("paper", "p"))));
    child("failed: `x` failed").calls("escalate", Map.of("question", "May I tear it?"));
  }

  @Test
  void aParentIsAskedAndAnswers() {
    model.withoutTools();
    childAsks();
    parent("event: {\"asked\":", "May I tear it?", "`agent_answer`")
        .answer(prompt -> {
          Matcher asked = ASKED.matcher(prompt.text());
          assertThat(asked.find()).isTrue();
          ObjectNode answer =
              action(
                  "yes",
                  "agent_answer",
                  Map.of("name", "boss.c", "question", asked.group(1), "note", "gently"));
          ((ObjectNode) answer.path("parameters")).put("yes", true);
          return reply(plan(answer).put("mode", "add"));
        });
    child("answered: your supervisor boss says yes: gently")
        .calls("complete", Map.of("result", "torn"));
    try (TestColony colony = colony()) {
      AgentRun run = LiveFixture.result(report(colony.spawn("boss", boss(PlanArgs.NONE))));
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("torn");
    }
  }

  private static String reply(JsonNode plan) {
    ObjectNode reply = JsonNodeFactory.instance.objectNode().put("say", "scripted");
    reply.withArray("calls").addObject().put("tool", "plan").set("arguments", plan);
    return reply.toString();
  }

  @Test
  void aPersonMayAnswerInPlaceOfTheParent() {
    childAsks();
    parent("event: {\"asked\":", "May I tear it?").calls("go_on", Map.of());
    child("answered: eve says no: keep it").calls("complete", Map.of("result", "kept"));
    try (TestColony colony = colony()) {
      RunHandle run = report(colony.spawn("boss", boss(PlanArgs.NONE)));
      awaitState(childOf(colony), AgentState.SUSPENDED);
      LiveFixture.await().until(() -> model.count() >= 4);
      LiveFixture.now(childOf(colony).deny("escalation-1", "eve", "keep it"));
      assertThat(LiveFixture.result(run).output().asText()).isEqualTo("kept");
    }
  }
}
