package dev.colony.library.policy;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.Blueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Position;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScriptedActionPolicyTest {

  private static final class Chat extends AgentCapability {

    Chat(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "chat:*")
    EventHandler.Context onMessage(EventBatch.Event event) {
      return new EventHandler.Context(
          event.key().substring("chat:".length()), Map.of("message", event.value().orElseThrow()));
    }
  }

  private final TestAgent agent = TestAgent.named("tester");
  private final FakeDispatcher dispatcher = FakeDispatcher.notes();

  private PolicyRun run(ScriptedRule... rules) {
    return new PolicyRun(
        new ScriptedActionPolicy(new PolicyContext(agent, dispatcher, List.of()), Script.of(rules)),
        json("{}"));
  }

  private EventBatch events(String... names) {
    List<EventBatch.Event> events = new ArrayList<>();
    for (String name : names) {
      events.add(
          new EventBatch.Event(
              "chat:" + name,
              Position.parse("0-" + (events.size() + 1)),
              PolicyRun.AT,
              "user",
              0,
              1,
              Set.of(),
              Optional.of(json("\"" + name + events.size() + "\""))));
    }
    return new EventBatch(agent.id().scope(), events, false);
  }

  @Test
  void actionsFollowOneAnother() throws Exception {
    PolicyRun run =
        run(
            ScriptedRule.first().act("notes.write", "text", "hello"),
            ScriptedRule.after("notes.write")
                .succeeded()
                .act("notes.search", "query", "$results.a1"),
            ScriptedRule.after("notes.write").unsuccessful().fail("the note was not written"),
            ScriptedRule.after("notes.search").complete("found"));
    run.next();
    run.next();
    ActionPolicyIterationResult last = run.next();
    assertThat(dispatcher.dispatched)
        .containsExactly(
            Action.of("a1", "notes.write", json("{\"text\": \"hello\"}")),
            Action.of("a2", "notes.search", json("{\"query\": \"$results.a1\"}")));
    assertThat(last.output().orElseThrow().finalResult().asText()).isEqualTo("found");
  }

  @Test
  void aFailureTakesAnotherRule() throws Exception {
    dispatcher.outcome(action -> ActionResult.failed(action.actionId(), "full"));
    PolicyRun run =
        run(
            ScriptedRule.first().act("notes.write", "text", "hello"),
            ScriptedRule.after("notes.write").succeeded().complete("written"),
            ScriptedRule.after("notes.write").unsuccessful().fail("the note was not written"));
    run.next();
    ActionPolicyIterationResult last = run.next();
    assertThat(last.success()).isFalse();
    assertThat(last.error().orElseThrow().message()).isEqualTo("the note was not written");
  }

  @Test
  void variablesAreSetAndAskedFor() throws Exception {
    PolicyRun run =
        run(
            ScriptedRule.otherwise().where("phase", 2).complete("after two"),
            ScriptedRule.otherwise().where("phase", 1).set("phase", 2).goOn(),
            ScriptedRule.first().set("phase", 1).goOn());
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(run.next()).isEqualTo(ActionPolicyIterationResult.skipped());
    assertThat(run.next().policyCompleted()).isTrue();
  }

  @Test
  void eachEventGetsAnIterationOfItsOwnAndOthersArePassedOver() throws Exception {
    agent.with(new Chat(agent.capabilityContext("chat")));
    PolicyRun run =
        run(
            ScriptedRule.on("hello").act("notes.write", "text", "$event.message"),
            ScriptedRule.on("bye").complete("bye"));
    run.next(events("hello", "noise", "hello"));
    assertThat(run.custom.path("event")).isEqualTo(json("{\"message\": \"hello0\"}"));
    run.next(events("noise"));
    assertThat(run.custom.path("event")).isEqualTo(json("{\"message\": \"hello2\"}"));
    assertThat(dispatcher.dispatched).hasSize(2);
    assertThat(run.next().idle()).isTrue();
    assertThat(run.custom.has("pendingEvents")).isFalse();
    assertThat(run.next(events("bye")).policyCompleted()).isTrue();
  }

  @Test
  void aResultThatRefersToWhatIsNotThereFailsTheRun() throws Exception {
    ActionPolicyIterationResult result = run(ScriptedRule.first().complete("$lost")).next();
    assertThat(result.success()).isFalse();
    assertThat(result.error().orElseThrow().message())
        .isEqualTo("$lost cannot be resolved: it is lost");
  }

  @Test
  void withoutAFittingRuleItWaits() throws Exception {
    assertThat(run(ScriptedRule.on("hello").complete("x")).next().idle()).isTrue();
    assertThat(run(ScriptedRule.otherwise().idle()).next().idle()).isTrue();
  }

  @Test
  void anActionOfTheSameNameGetsAnIdOfItsOwn() throws Exception {
    ScriptedRule rule =
        new ScriptedRule(
            ScriptedRule.otherwise().idle().when(),
            new ScriptedRule.Then(
                Optional.of(
                    new ScriptedRule.Act("notes.write", Optional.empty(), Optional.of("note"))),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    PolicyRun run = run(rule);
    run.next();
    run.next();
    run.next();
    assertThat(dispatcher.dispatched)
        .extracting(Action::actionId)
        .containsExactly("note", "note-2", "note-3");
  }

  @Test
  void aScriptTravelsAsABlueprint() throws Exception {
    Script script =
        Script.of(
            ScriptedRule.first().act("notes.write", "text", "hello"),
            ScriptedRule.after("notes.write").succeeded().complete(Map.of("ok", true)));
    Blueprint bound = Blueprint.bind(ScriptedActionPolicy.class, script);
    Blueprint arrived = Blueprint.fromJson(json(bound.toJson().toString()));
    ScriptedActionPolicy made =
        AgentTypes.installed()
            .create(
                ScriptedActionPolicy.class,
                arrived,
                new PolicyContext(agent, dispatcher, List.of()));
    PolicyRun run = new PolicyRun(made, json("{}"));
    run.next();
    assertThat(run.next().output().orElseThrow().finalResult()).isEqualTo(json("{\"ok\": true}"));
  }

  @Test
  void aRuleWaitsForWhatIsNoEvent() throws Exception {
    ResumptionCondition until =
        ResumptionCondition.any(
            new ResumptionCondition.Custom("go"), new ResumptionCondition.At(PolicyRun.AT));
    Script script = Script.of(ScriptedRule.otherwise().blocked("waits for a word", until));
    Blueprint bound = Blueprint.bind(ScriptedActionPolicy.class, script);
    AgentTypes types = AgentTypes.installed();
    Blueprint arrived = Blueprint.fromJson(json(bound.toJson().toString()));
    PolicyContext context = new PolicyContext(agent, dispatcher, List.of());
    ScriptedActionPolicy made = types.create(ScriptedActionPolicy.class, arrived, context);
    ActionPolicyIterationResult result = new PolicyRun(made, json("{}")).next();
    assertThat(result.blockedReason()).contains("waits for a word");
    assertThat(result.until()).contains(until);
  }

  @Test
  void aRuleThatDecidesTwoThingsOrNothingIsRefused() {
    assertThatThrownBy(() -> ScriptedRule.first().goOn())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("decides 0");
    assertThatThrownBy(() -> Script.of()).hasMessage("a script needs at least one rule");
    Blueprint twice =
        new Blueprint(
            "colony.scripted",
            json("{\"rules\": [{\"when\": {}, \"then\": {\"idle\": true, \"fail\": \"no\"}}]}"));
    assertThatThrownBy(() -> AgentTypes.installed().check(ActionPolicy.class, twice))
        .hasMessageContaining("decides 2");
  }
}
