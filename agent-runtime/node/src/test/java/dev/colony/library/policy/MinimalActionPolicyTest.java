package dev.colony.library.policy;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.core.hook.AgentHooks;
import dev.colony.core.hook.HookSettings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceException;
import dev.colony.library.prompt.PlanningPrompt;
import dev.colony.library.prompt.PromptSection;
import dev.colony.node.NodePorts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MinimalActionPolicyTest {

  private static final String WRITE =
      decision("{\"action\": \"notes.write\", \"parameters\": {\"text\": \"hi\"}}");
  private static final String DONE = decision("{\"action\": \"complete\", \"result\": \"done\"}");

  private final List<String> names = new ArrayList<>();
  private final List<ModelCall> calls = new ArrayList<>();
  private FakeDispatcher dispatcher = FakeDispatcher.notes();

  private static String decision(String json) {
    return "{\"reasoning\": \"because\", \"decision\": " + json + "}";
  }

  /** A run in which the model gives these answers, one after the other. */
  private PolicyRun run(String... answers) {
    return run(PlannerArgs.NONE, answers);
  }

  private PolicyRun run(PlannerArgs args, String... answers) {
    Deque<String> left = new ArrayDeque<>(List.of(answers));
    TestAgent agent =
        TestAgent.of(
            "tester",
            (name, call) -> {
              names.add(name);
              calls.add(call);
              return left.remove();
            });
    return new PolicyRun(
        new MinimalActionPolicy(new PolicyContext(agent, dispatcher, List.of()), args),
        json("{\"goals\": [\"Greet the user\"]}"));
  }

  @Test
  void theModelPicksOneActionInEachIterationUntilItIsDone() throws Exception {
    PolicyRun run = run(WRITE, DONE);
    ActionPolicyIterationResult first = run.next();
    assertThat(first.call().orElseThrow().action().key()).isEqualTo("notes.write");
    assertThat(first.call().orElseThrow().action().params()).isEqualTo(json("{\"text\": \"hi\"}"));
    ActionPolicyIterationResult second = run.next();
    assertThat(second.policyCompleted()).isTrue();
    assertThat(second.output().orElseThrow().finalResult().asText()).isEqualTo("done");
    assertThat(names).containsExactly("plan", "plan");
    assertThat(calls.get(0).preamble()).isEqualTo(calls.get(1).preamble());
    assertThat(calls.get(0).suffix()).contains("## Goals\n- Greet the user");
    assertThat(calls.get(1).suffix())
        .contains("- a1: `notes.write` {\"text\":\"hi\"} -> succeeded: done a1");
  }

  @Test
  void theAnswersFormIsMadeOfTheActionsThatAreShown() throws Exception {
    run(WRITE).next();
    JsonNode alternatives =
        calls.getFirst().reply().schema().orElseThrow().at("/properties/decision/anyOf");
    List<String> actions = new ArrayList<>();
    alternatives.forEach(one -> actions.add(one.at("/properties/action/const").asText()));
    assertThat(actions).containsExactly("notes.write", "notes.search", "complete", "idle", "fail");
    assertThat(calls.getFirst().suffix()).doesNotContain("notes.compact");
  }

  @Test
  void itCanBeIdleAndItCanGiveUp() throws Exception {
    assertThat(run(decision("{\"action\": \"idle\"}")).next().idle()).isTrue();
    ActionPolicyIterationResult failed =
        run(decision("{\"action\": \"fail\", \"reason\": \"nobody is there\"}")).next();
    assertThat(failed.policyCompleted()).isTrue();
    assertThat(failed.success()).isFalse();
    assertThat(failed.error().orElseThrow().message()).isEqualTo("gave up: nobody is there");
  }

  @Test
  void anAnswerThatCannotBeUsedIsShownInTheNextIteration() throws Exception {
    PolicyRun run = run("I think", decision("{\"action\": \"notes.burn\"}"), WRITE);
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(run.next().call()).isPresent();
    assertThat(names).containsExactly("plan", "plan", "plan");
    assertThat(calls.get(1).suffix())
        .contains("## What went wrong in the previous iteration")
        .contains("it is not JSON");
    assertThat(calls.get(2).suffix())
        .contains("there is no action \"notes.burn\" but these: notes.write, notes.search");
    assertThat(run.custom.has("planner")).isFalse();
  }

  @Test
  void aModelThatGivesNoUsableAnswerEndsTheRun() throws Exception {
    PolicyRun run = run("a", "b", "c");
    run.next();
    run.next();
    ActionPolicyIterationResult third = run.next();
    assertThat(third.policyCompleted()).isTrue();
    assertThat(third.error().orElseThrow().kind()).isEqualTo("model");
    assertThat(third.error().orElseThrow().message())
        .startsWith("the model gave no usable answer in 3 iterations");
  }

  @Test
  void aUsableAnswerStartsTheCountAgain() throws Exception {
    PolicyRun run = run("a", "b", WRITE, "c", "d", DONE);
    for (int i = 0; i < 5; i++) {
      assertThat(run.next().policyCompleted()).isFalse();
    }
    assertThat(run.next().policyCompleted()).isTrue();
  }

  @Test
  void whereThereAreManyActionsTheParametersAreAskedForAfterwards() throws Exception {
    dispatcher = many(PolicySettings.DEFAULTS.twoPhaseAbove() + 1);
    PolicyRun run = run(decision("{\"action\": \"many.act3\"}"), "{\"n\": 7}");
    assertThat(run.next().call().orElseThrow().action().params()).isEqualTo(json("{\"n\": 7}"));
    assertThat(names).containsExactly("plan", "parameters");
    assertThat(calls.get(0).suffix()).contains("`many.act3`").doesNotContain("Parameters:");
    assertThat(calls.get(1).suffix()).contains("## Chosen action\n- `many.act3`");
    assertThat(calls.get(1).reply().schema().orElseThrow().at("/properties/n/anyOf/0/type").asText())
        .isEqualTo("integer");
  }

  @Test
  void parametersThatAreNoObjectAreNotUsable() throws Exception {
    dispatcher = many(PolicySettings.DEFAULTS.twoPhaseAbove() + 1);
    PolicyRun run = run(decision("{\"action\": \"many.act3\"}"), "[7]");
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(names).containsExactly("plan", "parameters");
    assertThat(run.custom.toString()).contains("it is not a JSON object");
  }

  @Test
  void anActionWithoutParametersNeedsNoSecondPhase() throws Exception {
    dispatcher = many(PolicySettings.DEFAULTS.twoPhaseAbove() + 1);
    assertThat(run(decision("{\"action\": \"many.act0\"}")).next().call()).isPresent();
    assertThat(names).containsExactly("plan");
  }

  @Test
  void aParameterMayReferToAnEarlierResult() throws Exception {
    PolicyRun run =
        run(
            decision(
                "{\"action\": \"notes.write\", \"parameters\": {\"text\": \"$results.a1\","
                    + " \"stars\": \"$results.a1.stars\"}}"));
    assertThat(run.next().call()).isPresent();
    assertThat(names).containsExactly("plan");
  }

  @Test
  void aResultThatRefersToWhatIsNotThereIsNotUsable() throws Exception {
    PolicyRun run = run(decision("{\"action\": \"complete\", \"result\": \"$lost\"}"), DONE);
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(run.next().policyCompleted()).isTrue();
    assertThat(calls.get(1).suffix()).contains("$lost cannot be resolved: it is lost");
  }

  @Test
  void pointersInAnActionsSchemaMoveWithIt() throws Exception {
    dispatcher =
        new FakeDispatcher(
            new ActionGroup(
                "tree",
                "",
                List.of(
                    FakeDispatcher.action(
                        "tree.grow",
                        "Grows.",
                        """
                        {"type": "object", "required": ["node"],
                         "properties": {"node": {"$ref": "#/$defs/node"}},
                         "$defs": {"node": {"type": "object", "properties":
                           {"child": {"$ref": "#/$defs/node"}}}}}
                        """))));
    run(decision("{\"action\": \"tree.grow\", \"parameters\": {\"node\": {\"child\": {}}}}"))
        .next();
    JsonNode schema = calls.getFirst().reply().schema().orElseThrow();
    String pointer =
        schema
            .at("/properties/decision/anyOf/0/properties/parameters/properties/node/anyOf/0/$ref")
            .asText();
    assertThat(schema.at(pointer.substring(1)).path("type").asText()).isEqualTo("object");
    assertThat(names).containsExactly("plan");
  }

  @Test
  void anActionThatIsRefusedOrFailsIsShownToTheModel() throws Exception {
    dispatcher.outcome(action ->
        ActionResult.unsuccessful(
            action.actionId(), ActionResult.Status.REFUSED, "text: is too rude"));
    PolicyRun run = run(WRITE, DONE);
    run.next();
    run.next();
    assertThat(calls.get(1).suffix()).contains("-> refused: text: is too rude");
  }

  @Test
  void aModelThatCannotBeAskedEndsTheRunAndSaysWhetherToTryAgain() throws Exception {
    TestAgent agent =
        TestAgent.of(
            "tester",
            (name, call) -> {
              throw new AgentException("nobody answers", null, true);
            });
    ActionPolicyIterationResult result = minimal(agent).next();
    assertThat(result.policyCompleted()).isTrue();
    assertThat(result.error())
        .contains(new ErrorContext("model", "nobody answers", Optional.empty(), true));
  }

  @Test
  void aReplyThatTheGatewayCouldNotRepairIsAnUnusableAnswer() throws Exception {
    TestAgent agent =
        TestAgent.of(
            "tester",
            (name, call) -> {
              names.add(name);
              InferenceException bad =
                  new InferenceException(
                      InferenceException.Kind.BAD_REPLY, "twice violated the schema", null);
              throw new AgentException(bad.getMessage(), bad, false);
            });
    PolicyRun run = minimal(agent);
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(names).containsExactly("plan");
    assertThat(run.custom.toString()).contains("twice violated the schema");
  }

  @Test
  void whatTheRunGivesIsAskedForAndHeldAgainstItsDeclaration() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().output("answer", String.class).build();
    PlannerArgs args = PlannerArgs.NONE.io(io);
    ActionPolicyIterationResult result =
        run(args, decision("{\"action\": \"complete\", \"result\": {\"answer\": 3}}")).next();
    assertThat(result.error().orElseThrow().message()).startsWith("output answer: ");
    JsonNode schema = calls.getFirst().reply().schema().orElseThrow();
    assertThat(schema.at("/properties/decision/anyOf/2/properties/result/required/0").asText())
        .isEqualTo("answer");
  }

  @Test
  void whatTheAgentLivesByStandsBeforeWhatTheRunAsks() throws Exception {
    PlannerArgs args =
        PlannerArgs.NONE
            .role("You are a clerk.")
            .goals("Keep the notes in order")
            .constraints("Never write twice");
    run(args, DONE).next();
    assertThat(calls.getFirst().suffix())
        .startsWith(
            """
            ## Role
            You are a clerk.

            ## Goals
            - Keep the notes in order
            - Greet the user

            ## Constraints
            - Never write twice\
            """);
  }

  @Test
  void hooksSeeThePromptSectionBySectionAndMayReplaceIt() throws Exception {
    List<String> seen = new ArrayList<>();
    HookRegistry hooks =
        new AgentHooks(
            HookSettings.fromConfig(ConfigFactory.defaultReference(getClass().getClassLoader())));
    hooks.add(
        AgentHook.around(
            "note",
            "PlanningFormat.format",
            (call, proceed) -> {
              PlanningPrompt prompt = (PlanningPrompt) proceed.proceed();
              prompt.sections().forEach(one -> seen.add(one.name() + " " + one.sizeTokens()));
              return prompt.and(new PromptSection("note", "## Note\nBe kind.", 10, 10, false));
            }));
    TestAgent agent =
        new TestAgent(
            new AgentId("acme", "lab", "tester"),
            new InMemoryBlackboards(),
            (name, call) -> {
              calls.add(call);
              return DONE;
            },
            NodePorts.none(),
            hooks);
    minimal(agent).next();
    assertThat(seen).hasSize(11).contains("role 0").doesNotContain("goals 0");
    assertThat(calls.getFirst().suffix()).endsWith("## Note\nBe kind.");
  }

  @Test
  void anActionNamedLikeAnEndIsRefused() throws Exception {
    dispatcher =
        new FakeDispatcher(
            new ActionGroup(
                "odd", "", List.of(FakeDispatcher.action("idle", "", "{\"type\": \"object\"}"))));
    assertThat(run().next().error().orElseThrow().message())
        .contains("an action cannot be called idle");
  }

  @Property(tries = 500)
  void whateverTheModelSaysNothingIsThrownAndItIsAskedTwiceAtMost(
      @ForAll("answers") String first, @ForAll("answers") String second) throws Exception {
    names.clear();
    calls.clear();
    dispatcher = FakeDispatcher.notes();
    ActionPolicyIterationResult result = run(first, second).next();
    assertThat(names).hasSizeBetween(1, 2);
    assertThat(result.call().isPresent() || result.idle() || result.policyCompleted())
        .isEqualTo(!result.equals(ActionPolicyIterationResult.skipped()));
  }

  @Property(tries = 200)
  void inTwoPhasesItIsAskedFourTimesAtMost(
      @ForAll("answers") String one,
      @ForAll("answers") String two,
      @ForAll("answers") String three,
      @ForAll("answers") String four)
      throws Exception {
    names.clear();
    calls.clear();
    dispatcher = many(PolicySettings.DEFAULTS.twoPhaseAbove() + 1);
    run(one, two, three, four).next();
    assertThat(names).hasSizeBetween(1, 4).doesNotHaveDuplicates();
  }

  @Provide
  Arbitrary<String> answers() {
    Arbitrary<String> garbage = Arbitraries.strings().ofMaxLength(40);
    Arbitrary<String> values =
        Arbitraries.of(
            "{}",
            "[]",
            "null",
            "3",
            "\"x\"",
            "{\"text\": \"x\"}",
            "{\"text\": 1}",
            "{\"n\": 3}",
            "[".repeat(200) + "]".repeat(200));
    Arbitrary<String> keys =
        Arbitraries.of(
            "notes.write", "many.act1", "many.act0", "complete", "idle", "fail", "", "?");
    Arbitrary<String> decisions =
        keys.flatMap(key ->
            values.map(value ->
                decision(
                    "{\"action\": \"%s\", \"parameters\": %s, \"result\": %s}"
                        .formatted(key, value, value))));
    return Arbitraries.oneOf(
        garbage, values, decisions, decisions.map(text -> "```json\n" + text + "\n```"));
  }

  private PolicyRun minimal(TestAgent agent) {
    return new PolicyRun(
        new MinimalActionPolicy(
            new PolicyContext(agent, dispatcher, List.of()), PlannerArgs.NONE),
        json("{\"goals\": \"Greet the user\"}"));
  }

  private static FakeDispatcher many(int count) {
    List<ActionDescription> actions =
        IntStream.range(0, count)
            .mapToObj(i ->
                FakeDispatcher.action(
                    "many.act" + i,
                    "Does " + i + ".",
                    i == 0
                        ? "{\"type\": \"object\"}"
                        : "{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}},"
                            + " \"required\": [\"n\"]}"))
            .toList();
    return new FakeDispatcher(new ActionGroup("many", "", actions));
  }

  @Test
  void argumentsTravelAsABlueprint() {
    assertThatThrownBy(() -> Blueprint.bind(MinimalActionPolicy.class, "x"))
        .isInstanceOf(IllegalArgumentException.class);
    ActionPolicyIO io = ActionPolicyIO.builder().input("query", String.class).build();
    PlannerArgs args = PlannerArgs.NONE.role("r").goals("g").io(io);
    Blueprint bound = Blueprint.bind(MinimalActionPolicy.class, args);
    MinimalActionPolicy made =
        AgentTypes.installed()
            .create(
                MinimalActionPolicy.class,
                bound,
                new PolicyContext(TestAgent.named("a"), dispatcher, List.of()));
    assertThat(made.io()).isEqualTo(io);
  }
}
