package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextBuilder.PromptContext;
import dev.colony.library.context.StageEvent.StageKind;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The examples of docs/guides/context.md. */
class ContextGuideTest {

  private static final Blueprint POLICY = Blueprint.of("test.none");

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final Blackboard board = blackboards.open(Scope.session("acme", "lab", "s1"), "test");

  @AfterEach
  void close() {
    blackboards.close();
  }

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/context.md#Stages", ContextGuideTest.class, ShoutingLayer.class);
  }

  @Test
  void theSamePrompts() {
    // guide: stage
    Stage stage = new Stage(board);
    stage.enter(StageKind.GOAL, "host", "Decide whether the town needs a second bridge.");
    stage.enter(StageKind.WORLD, "host", "The council chamber. It rains.");
    stage.enter(StageKind.SPOKE, "ada", "The old bridge carries twice what it was built for.");
    stage.enter(StageKind.THOUGHT, "bob", "She is right, but I cannot say so.");
    stage.enter(StageKind.SPOKE, "bob", "A ferry would do.");
    // guide end

    // guide: worker
    ContextBuilder builder = ContextBuilder.of(ContextRole.worker(), AgentTypes.installed());
    PromptContext prompt =
        builder.build(ContextRequest.of("ada", "You are Ada, an engineer.", stage.project()));
    // guide end
    assertThat(prompt.text())
        .isEqualTo(
            """
            IDENTITY
            You are Ada, an engineer.

            SHARED GOAL
            Decide whether the town needs a second bridge.

            CURRENT SCENE
            The council chamber. It rains.

            WHAT'S BEEN SAID (the newest last; answer to it)
            - ada (you): The old bridge carries twice what it was built for.
            - bob: A ferry would do.
            Bring in something that is not there yet: repeat and reword no line above.

            YOUR MEMORY
            (nothing beyond what you see here)

            VISITOR DISTURBANCES
            (none)\
            """);

    // guide: sections
    List<PromptContext.Section> sections = prompt.sections();
    // guide end
    assertThat(sections).hasSize(6);
  }

  @Test
  void aPartOnAStage() {
    // guide: part
    Scope debate = Scope.session("acme", "lab", "bridge-debate");
    AgentBlueprint ada =
        AgentBlueprint.of(POLICY)
            .capability(
                StageCapability.bind(debate, "You are Ada, an engineer.", ContextRole.worker()));
    AgentBlueprint jo =
        AgentBlueprint.of(POLICY)
            .capability(StageCapability.bind(debate, "You decide.", ContextRole.judge()));
    // guide end
    assertThat(ada.capabilities().getFirst().scope()).contains(debate);
    assertThat(jo.capabilities().getFirst().capabilityKey()).isEqualTo("stage");
  }

  @Test
  void aRoleOfOnesOwn() {
    new Stage(board).enter(StageKind.SPOKE, "bob", "A ferry would do.");
    // guide: role
    ContextRole clerk =
        ContextRole.judge()
            .named("clerk")
            .without(ContextRole.VISITOR)
            .window(ContextRole.DISCUSSION, 200)
            .budget(ContextRole.DISCUSSION, 8_000)
            .replace(ContextRole.SCENE, Blueprint.bind(ShoutingLayer.class));
    // guide end
    PromptContext prompt =
        ContextBuilder.of(clerk, AgentTypes.installed())
            .build(ContextRequest.of("clerk", "You keep the minutes.", new Stage(board).project()));
    assertThat(prompt.text()).contains("WHAT'S BEEN SHOUTED\nA FERRY WOULD DO.");
  }
}
