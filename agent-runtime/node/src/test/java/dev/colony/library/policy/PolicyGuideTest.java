package dev.colony.library.policy;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.StepJournal;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.Position;
import dev.colony.core.capability.AgentHooks;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.dispatch.CapabilityDispatcher;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.library.policy.GuidePolicies.DraftThenSend;
import dev.colony.library.policy.GuidePolicies.HouseLayer;
import dev.colony.library.policy.GuidePolicies.Nesting;
import dev.colony.library.policy.GuidePolicies.Notes;
import dev.colony.library.policy.GuidePolicies.Publishing;
import dev.colony.library.policy.GuidePolicies.ReviewPolicy;
import dev.colony.library.policy.GuidePolicies.WithClock;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What docs/guides/policies.md shows, run with the dispatcher of the runtime. */
class PolicyGuideTest {

  private static final ActionThreads THREADS =
      new ActionThreads(DispatchSettings.fromConfig(ConfigFactory.load()));

  private static final String IDLE = "{\"calls\": [{\"tool\": \"idle\", \"arguments\": {}}]}";

  private final List<String> prompts = new ArrayList<>();
  private final Deque<String> answers = new ArrayDeque<>();
  private final HookRegistry hooks = new AgentHooks();

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/policies.md", PolicyGuideTest.class, GuidePolicies.class);
  }

  @Test
  void aPolicyOfOnesOwn() throws Exception {
    // guide: own
    AgentBlueprint reviewer = AgentBlueprint.of(ReviewPolicy.class).capability(Notes.class);
    // guide end
    ActionPolicyIterationResult last = untilTheEnd(run(reviewer, json("{\"query\": \"merging\"}")));
    assertThat(last.output().orElseThrow().finalResult())
        .isEqualTo(json("{\"found\": [\"a note about merging\"]}"));
    assertThat(untilTheEnd(run(reviewer, json("{}"))).error().orElseThrow().message())
        .isEqualTo("input query: is missing");
  }

  @Test
  void aRunThatWaitsForAPerson() throws Exception {
    PolicyRun run = run(AgentBlueprint.of(Publishing.class), json("{}"));
    assertThat(run.next().until()).contains(new ResumptionCondition.Approved("publish"));
    run.approvals.put(
        "publish", new Approval("publish", false, "editor", "not like this", PolicyRun.AT));
    assertThat(run.next().output().orElseThrow().finalResult()).isEqualTo(json("\"dropped\""));
  }

  @Test
  void anAgentThatOnlyReacts() throws Exception {
    // guide: event-driven
    AgentBlueprint listener =
        AgentBlueprint.of(EventDrivenActionPolicy.class).capability(Notes.class);
    // guide end
    PolicyRun run = run(listener, json("{}"));
    assertThat(run.next(message("hello")).idle()).isTrue();
    assertThat(run.state.received().contexts())
        .containsExactly(json("{\"user_chat_message\": {\"message\": \"hello\"}}").deepCopy());
  }

  @Test
  void aModelPicksTheActions() throws Exception {
    // guide: minimal
    AgentBlueprint clerk =
        AgentBlueprint.of(
            MinimalActionPolicy.class,
            PlannerArgs.NONE
                .role("You keep the notes of a small office.")
                .goals("Store whatever the user asks you to remember")
                .constraints("Never store a password")
                .io(ActionPolicyIO.builder().output("stored", int.class).build()))
            .capability(Notes.class)
            .stream(
                ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
                    .events(EventContextKeyFilter.bind("user_chat_message"))
                    .actions(SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("write"))));
    // guide end
    answers.add(
        """
        {"say": "It was asked for.",
         "calls": [{"tool": "guide_notes_write", "arguments": {"text": "buy milk"}}]}
        """);
    answers.add(
        """
        {"say": "It is stored.",
         "calls": [{"tool": "complete", "arguments": {"result": {"stored": 1}}}]}
        """);
    PolicyRun run = run(clerk, EventBatch.NAMESPACE, message("remember to buy milk").toJson());
    run.next(message("remember to buy milk"));
    ActionPolicyIterationResult last = run.next();
    assertThat(last.output().orElseThrow().finalResult()).isEqualTo(json("{\"stored\": 1}"));
    assertThat(prompts.getLast())
        .contains("## Conversation\n**User**: remember to buy milk\n**You (Agent)**: stored: ")
        .contains("- a1: `guide_notes_write` {\"text\":\"buy milk\"} -> succeeded: stored: ");
  }

  @Test
  void rulesInPlaceOfAModel() throws Exception {
    // guide: scripted
    AgentBlueprint script =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                ScriptedActionPolicy.Script.of(
                    ScriptedRule.on("user_chat_message")
                        .act("guide.notes.write", "text", "$event.message"),
                    ScriptedRule.first().act("guide.notes.search", "query", "$topic"),
                    ScriptedRule.after("guide.notes.search")
                        .succeeded()
                        .set("asked", true)
                        .act("guide.notes.write", "text", "$results.a1.0"),
                    ScriptedRule.after("guide.notes.write")
                        .where("asked", true)
                        .complete(Map.of("note", "$last_note")),
                    ScriptedRule.otherwise().idle()))
            .capability(Notes.class);
    // guide end
    ActionPolicyIterationResult last = untilTheEnd(run(script, json("{\"topic\": \"bread\"}")));
    assertThat(last.output().orElseThrow().finalResult())
        .isEqualTo(json("{\"note\": \"stored: a note about bread\"}"));
    PolicyRun woken = run(script, EventBatch.NAMESPACE, message("hi").toJson());
    assertThat(woken.next(message("hi")).call().orElseThrow().result().output().asText())
        .isEqualTo("stored: hi");
  }

  @Test
  void aWorkflowByNarrowingTheActions() throws Exception {
    AgentBlueprint blueprint =
        AgentBlueprint.of(DraftThenSend.class, PlannerArgs.NONE).capability(Notes.class);
    answers.add(
        """
        {"calls": [{"tool": "guide_notes_search", "arguments": {"query": "milk"}}]}
        """);
    answers.add(IDLE);
    PolicyRun run = run(blueprint, json("{\"goals\": \"Find and store\"}"));
    run.next();
    run.next();
    assertThat(prompts.get(0))
        .contains("name=guide_notes_search")
        .doesNotContain("name=guide_notes_write");
    assertThat(prompts.get(1))
        .contains("name=guide_notes_write")
        .doesNotContain("name=guide_notes_search");
  }

  @Test
  void actionsOfThePolicysOwn() throws Exception {
    AgentBlueprint blueprint =
        AgentBlueprint.of(WithClock.class, PlannerArgs.NONE).capability(Notes.class);
    answers.add("{\"calls\": [{\"tool\": \"clock_now\", \"arguments\": {}}]}");
    ActionPolicyIterationResult result = run(blueprint, json("{\"goals\": \"Tell\"}")).next();
    assertThat(result.call().orElseThrow().result().output().asText()).isEqualTo("noon");
    assertThat(prompts.getFirst())
        .contains("name=clock_now", "name=guide_notes_write")
        .doesNotContain("name=guide_notes_search");
  }

  @Test
  void aLayerOfOnesOwn() throws Exception {
    // guide: layers
    PromptLayers layers =
        PromptLayers.STOCK
            .without("background")
            .before("goals", "house", Blueprint.bind(HouseLayer.class))
            .tokens("history", 16000);
    // guide end
    answers.add(IDLE);
    AgentBlueprint blueprint =
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.prompt(layers))
            .capability(Notes.class);
    run(blueprint, json("{\"goals\": \"Tell\"}")).next();
    assertThat(prompts.getFirst()).contains("## House rules\nGreet before you ask.");
  }

  @Test
  void thePromptIsSeenSectionBySection() throws Exception {
    Map<String, Integer> sizes = new java.util.TreeMap<>();
    // guide: observe
    AgentHook sizesOfSections =
        AgentHook.after(
            "sizes of sections",
            "PlanningFormat.format",
            (call, prompt, failure) -> {
              for (PromptSection section : ((PlanningPrompt) prompt).sections()) {
                sizes.put(section.name(), section.sizeTokens());
              }
            });
    // guide end
    hooks.add(sizesOfSections);
    answers.add(IDLE);
    AgentBlueprint blueprint = AgentBlueprint.of(MinimalActionPolicy.class).capability(Notes.class);
    run(blueprint, json("{\"goals\": \"Tell\"}")).next();
    assertThat(sizes).containsKeys("goals", "tools", "rules", "ask").doesNotContainKey("history");
  }

  @Test
  void aPolicyInAPolicyIsRefused() {
    assertThatThrownBy(
            () -> {
              // guide: nesting
              Blueprint inner = Blueprint.bind(MinimalActionPolicy.class);
              AgentBlueprint refused = AgentBlueprint.of(Nesting.class, new Nesting.Inner(inner));
              // guide end
              throw new AssertionError("not refused: " + refused);
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("policies do not nest, spawn a child agent");
  }

  private PolicyRun run(AgentBlueprint blueprint, JsonNode input) {
    return run(blueprint, "requests", input);
  }

  /** A run of an agent as the owning node makes it from its blueprint. */
  private PolicyRun run(AgentBlueprint blueprint, String namespace, JsonNode input) {
    TestAgent agent =
        new TestAgent(
                new AgentId("acme", "lab", "tester"),
                new InMemoryBlackboards(),
                (name, call) -> {
                  prompts.add(call.preamble() + call.reply().tools() + call.messages());
                  return answers.remove();
                },
                NodePorts.none(),
                hooks)
            .blueprint(blueprint);
    agent.with(new Notes(agent.capabilityContext("guide.notes")));
    CapabilityDispatcher dispatcher = new CapabilityDispatcher(agent, THREADS);
    List<ConsciousnessStream> streams =
        blueprint.streams().stream().map(one -> AgentTypes.installed().create(one)).toList();
    ActionPolicy policy =
        AgentTypes.installed()
            .create(
                ActionPolicy.class,
                blueprint.policy(),
                new PolicyContext(agent, dispatcher, streams));
    ActionPolicy within =
        new ActionPolicy() {
          @Override
          public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state)
              throws Exception {
            dispatcher.enter(state, new NoJournal());
            return policy.executeIteration(state);
          }
        };
    return new PolicyRun(within, namespace, input);
  }

  private static ActionPolicyIterationResult untilTheEnd(PolicyRun run) throws Exception {
    for (int i = 0; i < 10; i++) {
      ActionPolicyIterationResult result = run.next();
      if (result.policyCompleted()) {
        return result;
      }
    }
    throw new AssertionError(
        "no end after 10 iterations: " + run.history.stream().map(ActionCall::result).toList());
  }

  private static EventBatch message(String text) {
    return new EventBatch(
        new AgentId("acme", "lab", "tester").scope(),
        List.of(
            new EventBatch.Event(
                "chat:1",
                Position.parse("0-1"),
                PolicyRun.AT,
                "user",
                0,
                1,
                Set.of(),
                Optional.of(json("\"" + text + "\"")))),
        false);
  }

  /** Nothing here is external, and nothing crashes. */
  private static final class NoJournal implements StepJournal {

    @Override
    public Optional<InferenceReply> answered(String name) {
      return Optional.empty();
    }

    @Override
    public void asking(String name, long promptTokens) {}

    @Override
    public void failed(String name, Usage usage) {}

    @Override
    public void answered(String name, InferenceReply reply, boolean paged) {}

    @Override
    public void intend(Action action, boolean retryable) {
      throw new AssertionError("nothing here is external: " + action);
    }

    @Override
    public void begin(Action action, boolean retryable, Optional<String> approval) {
      throw new AssertionError("nothing here is external: " + action);
    }

    @Override
    public ActionResult end(Action action, ActionResult result, Optional<String> approval) {
      return result;
    }

    @Override
    public Optional<ActionCall> ended(String actionId) {
      return Optional.empty();
    }

    @Override
    public Optional<Begun> begun(String actionId) {
      return Optional.empty();
    }

    @Override
    public List<String> approvals() {
      return List.of();
    }

    @Override
    public void emit(String name, JsonNode data) {}

    @Override
    public boolean cancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public String idempotencyKey(String actionId) {
      return actionId;
    }
  }
}
