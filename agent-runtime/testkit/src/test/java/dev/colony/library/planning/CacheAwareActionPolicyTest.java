package dev.colony.library.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.view.ActionView;
import dev.colony.blackboard.Write;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that a model makes plans for, over HTTP, against servers with tools and without. */
class CacheAwareActionPolicyTest {

  /** A capability whose actions do what their names say. */
  @Registered(value = "test.desk", summary = "Papers on a desk.")
  public static final class Desk extends AgentCapability {

    public Desk(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "desk.write", summary = "Writes a paper.")
    Map<String, Object> write(@Param("what it says") String text) {
      return Map.of("text", text, "length", text.length());
    }

    @ActionExecutor(key = "desk.join", summary = "Joins two papers.")
    String join(@Param("the first") String left, @Param("the second") String right) {
      return left + right;
    }

    @ActionExecutor(key = "desk.burn", summary = "Burns a paper.")
    String burn(@Param("which") String paper) {
      throw new IllegalStateException(paper + " does not burn");
    }

    @ActionExecutor(key = "desk.remove", summary = "Takes a paper away.")
    String remove(@Param("which") String paper) {
      return "removed " + paper;
    }

    @EventHandler(pattern = "inbox:*", contextKey = "letter")
    Map<String, String> letter(EventBatch.Event event) {
      return Map.of("says", event.value().orElseThrow().asText());
    }

    @ActionExecutor(key = "desk.sign", summary = "Signs a paper.", approval = true)
    String sign(@Param("which") String paper) {
      return "signed " + paper;
    }
  }

  private static final TypeProvider TYPES = types -> types.add(Desk.class);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return TestAgent.of(clerk(args)).types(TYPES).model(model).start();
  }

  private static AgentBlueprint clerk(PlanArgs args) {
    return AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, args))
        .capability(CapabilityBlueprint.of(Blueprint.of("test.desk")));
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** An action of a plan; further fields by their names and values in turn. */
  private static ObjectNode action(String name, String key, Map<String, ?> params, Object... more) {
    ObjectNode action = object().put("name", name).put("action", key);
    ObjectNode parameters = action.putObject("parameters");
    params.forEach((field, value) -> parameters.put(field, value.toString()));
    for (int i = 0; i < more.length; i += 2) {
      action.set(more[i].toString(), (JsonNode) more[i + 1]);
    }
    return action;
  }

  private static ObjectNode write(String name, String text, Object... more) {
    return action(name, "desk.write", Map.of("text", text), more);
  }

  private static ObjectNode part(String name, String goal, String... after) {
    ObjectNode part = object().put("name", name).put("goal", goal);
    List.of(after).forEach(part.withArray("after")::add);
    return part;
  }

  private static JsonNode undo(String paper) {
    ObjectNode undo = object().put("action", "desk.remove");
    undo.putObject("parameters").put("paper", paper);
    return undo;
  }

  private static JsonNode list(String... texts) {
    var list = JsonNodeFactory.instance.arrayNode();
    List.of(texts).forEach(list::add);
    return list;
  }

  private static ObjectNode plan(ObjectNode... actions) {
    ObjectNode plan = object();
    List.of(actions).forEach(plan.putArray("actions")::add);
    return plan;
  }

  private static void plans(Expectation expected, ObjectNode plan) {
    expected.calls("plan", plan);
  }

  private static List<String> done(TestAgent agent) {
    return agent.steps().actions().stream().map(ActionView::actionId).toList();
  }

  /** What a person has to approve before an action is executed. */
  static String request(TestAgent agent, String actionId) {
    return agent.steps().actions().stream()
        .filter(one -> one.actionId().equals(actionId))
        .flatMap(one -> one.until().stream())
        .map(ResumptionCondition.Approved.class::cast)
        .map(ResumptionCondition.Approved::request)
        .findFirst()
        .orElseThrow();
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
    PlanArgs args =
        PlanArgs.NONE.completion(PlanArgs.Completion.schema(object().put("type", "integer")));
    plans(
        model.expect("Plan how your goals are reached."),
        plan(write("a", "one")).put("result", "$results.a.text"));
    model
        .expect("refused: the result does not fit:")
        .calls("complete", Map.of("result", "$results.a.length"));
    try (TestAgent agent = agent(args)) {
      assertThat(agent.run("Count").output().asInt()).isEqualTo(3);
    }
  }

  @Test
  void aSecondModelCallJudgesACompletionAndItsRefusalGoesBack() {
    PlanArgs args =
        PlanArgs.NONE.completion(PlanArgs.Completion.criteria("the greeting is polite"));
    model.expect("Plan how your goals are reached.").calls("complete", Map.of("result", "hey"));
    model
        .expect("the greeting is polite", "\"hey\"")
        .answer(Map.of("holds", false, "reason", "hey is too short"));
    model.expect("refused: hey is too short").calls("complete", Map.of("result", "good evening"));
    model
        .expect("the greeting is polite", "\"good evening\"")
        .answer(Map.of("holds", true, "reason", ""));
    try (TestAgent agent = agent(args)) {
      assertThat(agent.run("Greet").output().asText()).isEqualTo("good evening");
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
  void anEscalationWaitsDurablyForTheSupervisorsAnswer() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.burn", Map.of("paper", "x"))));
    model.expect("failed: `a` failed").calls("escalate", Map.of("question", "May I tear it?"));
    model
        .expect("answered: your supervisor eve says yes: tear it gently")
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

  @Test
  void aGuardrailBlocksAnActionAndThePlannerIsToldWhy() {
    PlanArgs args =
        PlanArgs.NONE.guardrails(
            Blueprint.bind(ActionGuardrail.class, ActionGuardrail.Rules.NONE.block("desk.burn")));
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.burn", Map.of("paper", "x"))));
    model
        .expect("failed: `a` failed: desk.burn is not allowed to this agent")
        .calls("fail", Map.of("reason", "I must not"));
    try (TestAgent agent = agent(args)) {
      AgentRun run = agent.run("Burn it");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow()).contains("gave up: I must not");
      assertThat(done(agent)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGuardrailAsksAPersonAndTheRestGoesOnMeanwhile(boolean yes) {
    PlanArgs args =
        PlanArgs.NONE.guardrails(
            Blueprint.bind(ActionGuardrail.class, ActionGuardrail.Rules.NONE.ask("desk.remove")));
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.remove", Map.of("paper", "x")), write("b", "meanwhile"))
            .put("result", "$results.a"));
    if (!yes) {
      model
          .expect("failed: `a` failed: eve denied it: keep it")
          .calls("complete", Map.of("result", "kept"));
    }
    try (TestAgent agent = agent(args)) {
      RunId run = agent.ask("Tidy up");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      assertThat(done(agent)).containsExactly("b");
      if (yes) {
        agent.handle().approve("guard-a", "eve", "").join();
      } else {
        agent.handle().deny("guard-a", "eve", "keep it").join();
      }
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText())
          .isEqualTo(yes ? "removed x" : "kept");
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I think I should not.",
        "{\"say\": \"x\", \"calls\": [{\"tool\": \"rm\", \"arguments\": {}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": 7}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [[[]]]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a b\","
            + " \"action\": \"desk.write\", \"parameters\": []}]}}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": \"$results.a\"}]}",
        "{\"calls\": [{\"tool\": \"plan\", \"arguments\": {\"actions\": [{\"name\": \"a\","
            + " \"goal\": \"x\", \"expects\": {\"schema\": {\"type\": 3}}}]}}]}"
      })
  void aModelThatNeverGivesAPlanEndsInAStatedFailure(String said) {
    model.expect().anyTimes().answer(prompt -> said);
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow()).contains("the model gave no usable answer");
      assertThat(run.stats().usage().completionTokens()).isPositive();
    }
  }

  @Test
  void aReplyOfAMegabyteEndsInAStatedFailure() {
    model.expect().anyTimes().answer(prompt -> "{\"plan\": \"" + "x".repeat(1 << 20));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      AgentRun run = agent.run("Write");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow()).isNotBlank();
    }
  }

  @Test
  void aModelThatRevisesWithoutEndIsStoppedAndAllItsTokensAreBooked() {
    ObjectNode again =
        plan(action("a", "desk.burn", Map.of("paper", "x"))).put("mode", "start_anew");
    model.expect().anyTimes().usage(100, 0, 10).calls("plan", again);
    try (TestAgent agent = agent(PlanArgs.NONE.rules(PlanArgs.Rules.DEFAULTS.maxReplanCycles(3)))) {
      AgentRun run = agent.run("Burn it");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.error().orElseThrow())
          .contains("the plan was revised 3 times, as often as it may be");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(model.count()).isEqualTo(4);
    }
  }

  @Test
  void aRuleRevisesWithoutAskingTheModel() {
    plans(
        model.expect("Plan how your goals are reached."),
        plan(action("a", "desk.burn", Map.of("paper", "x")), write("b", "y", "after", list("a")))
            .put("result", "$results.b.text"));
    try (TestAgent agent =
        agent(PlanArgs.NONE.rules(PlanArgs.Rules.DEFAULTS.byRule(Map.of("failed", "go-on"))))) {
      assertThat(agent.run("Burn it").output().asText()).isEqualTo("y");
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

  @Test
  void optionsThatAreNoneAreRefusedWhereTheyAreWritten() {
    PlanArgs.Rules sideways = PlanArgs.Rules.DEFAULTS.horizon("sideways");
    assertThatThrownBy(() -> PlanArgs.NONE.rules(sideways))
        .hasMessage("sideways is none of mpc, top-down, bottom-up");
  }
}
