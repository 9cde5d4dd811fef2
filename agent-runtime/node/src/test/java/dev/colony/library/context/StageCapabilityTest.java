package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.AgentTypes;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two who debate and one who judges, on one stage. */
class StageCapabilityTest {

  private static final Scope DEBATE = Scope.session("acme", "lab", "debate");

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final StageCapability ada = part("ada", "You are for the bridge.", ContextRole.worker());
  private final StageCapability bob = part("bob", "You are against it.", ContextRole.worker());
  private final StageCapability jo = part("jo", "You decide.", ContextRole.judge());

  private StageCapability part(String name, String persona, ContextRole role) {
    TestAgent agent =
        new TestAgent(
            new AgentId("acme", "lab", name),
            blackboards,
            (call, what) -> "yes",
            NodePorts.none(),
            HookRegistry.NONE);
    var blueprint = StageCapability.bind(DEBATE, persona, role);
    return AgentTypes.installed()
        .create(
            StageCapability.class,
            blueprint.what(),
            new CapabilityContext(
                Optional.of(agent), "stage", agent.blackboard(blueprint.scopeFor(agent.id()))));
  }

  private static String prompt(StageCapability part) {
    return part.prompt(part.request()).text();
  }

  private static IdempotencyKey key(String value) {
    return new IdempotencyKey(value);
  }

  @AfterEach
  void close() {
    blackboards.close();
  }

  @Test
  void aDebateIsFollowedByAllAndThoughtsByNobody() {
    ada.speak("It saves an hour a day.", key("1"));
    bob.think("She has a point.", key("2"));
    bob.speak("It costs a fortune.", key("3"));
    bob.act("shows a bill", key("4"));
    assertThat(prompt(ada))
        .contains("IDENTITY\nYou are for the bridge.")
        .contains("- ada (you): It saves an hour a day.\n- bob: It costs a fortune.\n")
        .contains("- bob [acted]: shows a bill")
        .doesNotContain("She has a point.");
    assertThat(prompt(bob)).contains("[agent.thought] bob: She has a point.");
    assertThat(prompt(jo))
        .contains("THE EXCHANGE TO JUDGE")
        .doesNotContain("She has a point.", "shows a bill\n- ");
    jo.rule("The bridge is built.", key("5"));
    assertThat(prompt(ada)).contains("[judge.verdict] jo: The bridge is built.");
  }

  @Test
  void anActionThatIsExecutedAgainHappenedOnce() {
    ada.speak("Again.", key("1"));
    ada.speak("Again.", key("1"));
    assertThat(ada.project().publicSpeechCount()).isEqualTo(1);
    ada.speak("Again.", key("2"));
    assertThat(bob.project().publicSpeechCount()).isEqualTo(2);
  }

  @Test
  void aPartIsABlueprint() {
    AgentBlueprint debater =
        AgentBlueprint.of(Blueprint.of("test.none"))
            .capability(StageCapability.bind(DEBATE, "Ada", ContextRole.worker()));
    assertThat(AgentBlueprint.fromJson(debater.toJson())).isEqualTo(debater);
    assertThat(CapabilityType.of(StageCapability.class).actions("stage", Duration.ofMinutes(1)))
        .extracting(action -> action.key())
        .containsExactlyInAnyOrder("stage.speak", "stage.act", "stage.think", "stage.rule");
  }
}
