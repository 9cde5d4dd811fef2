package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.action.ActionType;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboards;
import dev.colony.node.NodePorts;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CapabilityDispatcherTest {

  private final TestAgent agent = TestAgent.named("a1");
  private final Workshop workshop = new Workshop(agent.capabilityContext("shop"));
  private final Dispatching run = Dispatching.of(agent.with(workshop));

  @Test
  void anActionIsGivenItsParametersAndItsOutputIsTheResult() {
    ActionResult result = run.act("a", "shop.join", "{'left':'x','right':'y'}");
    assertThat(result).isEqualTo(ActionResult.succeeded("a", TextNode.valueOf("xy")));
    assertThat(run.act("b", "shop.join", "{'left':'x'}").output().textValue()).isEqualTo("x");
  }

  /** Most actions neither checkpoint nor live long enough to be controlled. */
  @Test
  void anActionThatUsesNoBlackboardOpensNone() {
    AtomicInteger opened = new AtomicInteger();
    Blackboards counting =
        (Blackboards)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Blackboards.class},
                (proxy, method, arguments) -> {
                  opened.addAndGet(method.getName().equals("open") ? 1 : 0);
                  return method.invoke(agent.blackboards(), arguments);
                });
    TestAgent counted =
        new TestAgent(agent.id(), counting, null, NodePorts.none(), HookRegistry.NONE);
    Dispatching busy = Dispatching.of(counted.with(workshop));
    opened.set(0);
    assertThat(busy.act("a", "shop.join", "{'left':'x','right':'y'}").success()).isTrue();
    assertThat(opened).hasValue(0);
  }

  @Test
  void plannersSeeKeysSummariesAndSchemas() {
    ActionGroup group = run.dispatcher.groups().getFirst();
    assertThat(group.name()).isEqualTo("shop");
    assertThat(group.summary()).isEqualTo("Makes things.");
    ActionDescription join = description("shop.join");
    assertThat(join.summary()).isEqualTo("Joins two texts.");
    assertThat(join.tags()).containsExactly("text");
    assertThat(join.planned()).isTrue();
    assertThat(join.parameters().at("/properties/left/description").asText())
        .isEqualTo("the first one");
    assertThat(join.parameters().path("required")).isEqualTo(json("['left']"));
    assertThat(join.output().path("type").asText()).isEqualTo("string");
    assertThat(description("shop.make_part").writes()).containsExactly("part");
    assertThat(description("shop.quietly").planned()).isFalse();
    assertThat(ActionType.of("tool_use")).isEqualTo(ActionType.TOOL_USE);
    assertThat(ActionType.of("shop.join")).isEqualTo(ActionType.CUSTOM);
  }

  private ActionDescription description(String key) {
    return run.dispatcher.groups().stream()
        .flatMap(group -> group.actions().stream())
        .filter(action -> action.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatIsWrongWithTheParametersIsToldToThePlanner() {
    ActionResult missing = run.act("a", "shop.make_part", "{'weight':'heavy'}");
    assertThat(missing.status()).isEqualTo(Status.REFUSED);
    assertThat(missing.error()).contains("name").contains("weight").contains("integer");
    assertThat(refusal("b", "shop.join", "{'left':'x','middle':1}")).contains("middle");
    assertThat(refusal("c", "shop.weigh", "{'part':{'name':'x','weight':-1}}"))
        .contains("a weight is 0 or more, not -1");
    assertThat(refusal("d", "shop.join", "[]")).contains("object");
    assertThat(workshop.calls).isEmpty();
  }

  @Test
  void anUnknownActionAndABadIdAreRefused() {
    assertThat(refusal("a", "shop.saw", "{}")).isEqualTo("the agent has no action shop.saw");
    assertThat(refusal("a", "shop_join", "{'left':'x'}"))
        .isEqualTo("the agent has no action shop_join: did you mean shop.join?");
    assertThat(refusal("a b", "shop.join", "{'left':'x'}")).contains("an action's id");
  }

  private String refusal(String id, String key, String params) {
    ActionResult result = run.act(id, key, params);
    assertThat(result.status()).isEqualTo(Status.REFUSED);
    return result.error();
  }

  @Test
  void parametersThatAreTooLargeAreRefused() {
    String large = "x".repeat(300 * 1024);
    assertThat(refusal("a", "shop.join", "{'left':'" + large + "'}"))
        .contains("larger than 262144 bytes");
  }

  @Test
  void aCapabilityThatIsPutAwayIsNeitherShownNorExecuted() {
    run.state().disableAgentCapabilities(Set.of("shop"));
    assertThat(run.dispatcher.groups()).isEmpty();
    ActionResult result =
        run.dispatcher.dispatch(Action.of("a", "shop.join", json("{'left':'x'}")));
    assertThat(result.status()).isEqualTo(Status.REFUSED);
    assertThat(result.error()).contains("not available");
    run.state().useAgentCapabilities(Set.of("shop"));
    assertThat(run.act("b", "shop.join", "{'left':'x'}").success()).isTrue();
  }

  @Test
  void theBlueprintSaysWhichActionsTheAgentGets() {
    CapabilityBlueprint some =
        CapabilityBlueprint.of(Blueprint.of("test.shop"))
            .key("shop")
            .include("shop.join", "shop.echo")
            .exclude("shop.echo");
    agent.blueprint(AgentBlueprint.of(Blueprint.of("test.policy")).capability(some));
    Dispatching limited = Dispatching.of(agent);
    assertThat(limited.dispatcher.groups().getFirst().actions())
        .extracting(ActionDescription::key)
        .containsExactly("shop.join");
    assertThat(limited.act("a", "shop.echo", "{'value':1}").status()).isEqualTo(Status.REFUSED);
  }

  @Test
  void theBlueprintSaysWhichActionsAPersonHasToApprove() {
    CapabilityBlueprint held =
        CapabilityBlueprint.of(Blueprint.of("test.shop")).key("shop").approve("shop.join");
    assertThat(CapabilityBlueprint.fromJson(held.toJson())).isEqualTo(held);
    agent.blueprint(AgentBlueprint.of(Blueprint.of("test.policy")).capability(held));
    Dispatching gated = Dispatching.of(agent);
    assertThat(gated.dispatcher.groups().getFirst().actions())
        .filteredOn(action -> action.key().equals("shop.join") || action.key().equals("shop.echo"))
        .extracting(ActionDescription::key, ActionDescription::approval)
        .containsExactlyInAnyOrder(tuple("shop.join", true), tuple("shop.echo", false));
    ActionResult waits = gated.act("a", "shop.join", "{'left':'x'}");
    assertThat(waits.status()).isEqualTo(Status.BLOCKED);
    assertThat(waits.error()).contains("a person has to approve shop.join-", "{\"left\":\"x\"}");
    assertThat(gated.act("b", "shop.echo", "{'value':1}").success()).isTrue();
  }

  @Test
  void anExternalActionIsIntendedBeforeItStartsWithItsReferencesResolved() {
    run.act("a", "tool_use", "{'what':'$topic'}");
    assertThat(run.journal.intents)
        .containsExactly(
            new RecordedJournal.Intent(
                Action.of("a", "tool_use", json("{'what':'merging'}")), true));
    assertThat(workshop.calls).containsExactly("order merging acme/lab/a1/r1/0/a");
    run.act("b", "shop.pay", "{'what':'it'}");
    assertThat(run.journal.intents.getLast().retryable()).isFalse();
    run.act("c", "shop.join", "{'left':'x'}");
    assertThat(run.journal.intents).hasSize(2);
  }

  @Test
  void whatIsRefusedWasNeverIntended() {
    run.act("a", "tool_use", "{'what':1}");
    assertThat(run.journal.intents).isEmpty();
  }

  @Test
  void anIntendedActionIsFinishedUnderTheSameKeyWithoutASecondIntent() {
    Action order = Action.of("a", "tool_use", json("{'what':'$topic'}"));
    ActionResult result = run.dispatcher.finish(order, true);
    assertThat(result.output().textValue()).isEqualTo("ordered $topic");
    assertThat(run.journal.intents).isEmpty();
    assertThat(workshop.calls).containsExactly("order $topic acme/lab/a1/r1/0/a");
    assertThat(run.dispatcher.finish(Action.of("b", "shop.pay", json("{'what':'x'}")), false))
        .isEqualTo(ActionResult.interrupted("b"));
    assertThat(run.dispatcher.finish(Action.of("c", "shop.gone", json("{}")), true).status())
        .isEqualTo(Status.REFUSED);
    assertThat(workshop.calls).hasSize(1);
  }

  @Test
  void whatAnActionWritesIsAVariableFromThenOn() {
    run.act("a", "shop.make_part", "{'name':'axle','weight':3}");
    ActionResult weighed = run.act("b", "shop.weigh", "{'part':'$part'}");
    assertThat(weighed.output()).isEqualTo(json("{'name':'axle','weight':4}"));
    assertThat(run.act("c", "shop.echo", "{'value':['$weight','$part.weight']}").output())
        .isEqualTo(json("[4,3]"));
    assertThat(run.state().delta().custom().isEmpty()).isTrue();
  }

  @Test
  void anAsynchronousResultIsAwaited() {
    assertThat(run.act("a", "shop.later", "{'value':'x'}").output().textValue()).isEqualTo("x");
    ActionResult failed = run.act("b", "shop.never_good", "{}");
    assertThat(failed.status()).isEqualTo(Status.FAILED);
    assertThat(failed.error()).isEqualTo("no such thing");
  }

  @Test
  void anActionSaysForWhomItWaits() {
    ActionResult blocked = run.act("a", "shop.waits", "{}");
    assertThat(blocked)
        .isEqualTo(
            ActionResult.blocked("a", "waiting for b", List.of(new AgentId("acme", "lab", "b"))));
  }

  @Test
  void aPolicyOffersActionsOfItsOwn() {
    run.dispatcher.offer(new Adding());
    assertThat(run.act("a", "sums.add", "{'a':1,'b':2}").output().asInt()).isEqualTo(3);
    assertThat(run.act("b", "sums.add", "{'a':1}").error()).contains("b");
    assertThat(run.dispatcher.groups()).extracting(ActionGroup::name).contains("sums");
    assertThatThrownBy(() -> run.dispatcher.offer(new Adding()))
        .isInstanceOf(AgentException.class)
        .hasMessage("two groups of actions are named sums");
  }

  @Test
  void aPolicyLeavesOnlySomeActions() {
    run.dispatcher.limitTo(Set.of("shop.join"));
    assertThat(run.dispatcher.groups().getFirst().actions()).hasSize(1);
    assertThat(run.act("a", "shop.echo", "{'value':1}").status()).isEqualTo(Status.REFUSED);
    assertThat(run.act("b", "shop.join", "{'left':'x'}").success()).isTrue();
  }

  @Test
  void twoCapabilitiesWithOneActionAreRefused() {
    agent.with(new Workshop(agent.capabilityContext("other")));
    assertThatThrownBy(() -> Dispatching.of(agent))
        .isInstanceOf(AgentException.class)
        .hasMessage("the action tool_use is offered by shop and by other");
  }

  @Test
  void nothingIsDispatchedBetweenIterations() {
    run.dispatcher.leave();
    assertThatThrownBy(() -> run.dispatcher.dispatch(Action.of("a", "shop.quietly", json("{}"))))
        .isInstanceOf(IllegalStateException.class);
  }

  private static final class Adding implements ActionProvider {

    @Override
    public String name() {
      return "sums";
    }

    @Override
    public String summary() {
      return "";
    }

    @Override
    public List<ActionDescription> actions() {
      JsonNode schema =
          json(
              "{'type':'object','required':['a','b'],"
                  + "'properties':{'a':{'type':'integer'},'b':{'type':'integer'}}}");
      return List.of(
          new ActionDescription(
              "sums.add",
              "sums",
              "",
              Set.of(),
              schema,
              json("{}"),
              List.of(),
              List.of(),
              true,
              Effect.INTERNAL,
              true,
              false,
              false,
              Duration.ofSeconds(10)));
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) {
      return params.get("a").asInt() + params.get("b").asInt();
    }
  }
}
