package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.fixture.Guide;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextBuilder.PromptContext;
import dev.colony.library.context.Memory.Note;
import dev.colony.library.context.Memory.Recall;
import dev.colony.library.context.MemoryCapability.MemoryArgs;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The examples of docs/guides/context.md. */
class MemoryGuideTest {

  private static final Blueprint POLICY = Blueprint.of("test.none");

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/context.md#Memory", MemoryGuideTest.class);
  }

  @Test
  void anAgentWithAMemory() {
    // guide: blueprint
    AgentBlueprint witness = AgentBlueprint.of(POLICY).capability(MemoryCapability.bind());
    // guide end
    assertThat(witness.capabilities().getFirst().capabilityKey()).isEqualTo("memory");

    // guide: args
    Salience mindful = new Salience(0.5, 1, 2, 0.99);
    AgentBlueprint scholar =
        AgentBlueprint.of(POLICY)
            .capability(
                MemoryCapability.bind(
                    MemoryArgs.DEFAULT.maxEntries(5000).window(20).salience(mindful)));
    // guide end
    assertThat(scholar.capabilities().getFirst().namespace()).contains("memory");
  }

  @Test
  void recallInAPolicy() throws Exception {
    try (var blackboards = new InMemoryBlackboards()) {
      MemoryCapability memory = new Remembering(blackboards, MemoryArgs.DEFAULT).memory();
      StageProjection stage = StageProjection.empty(10);
      ContextBuilder builder = ContextBuilder.of(ContextRole.worker(), AgentTypes.installed());
      // guide: recall
      memory.store(
          new Note("bridge-1", "note", "The old bridge was closed in May.", Set.of("bridge"), 0.8));

      List<String> recalled = memory.lines(Recall.salient("Is the bridge open?", memory.window()));
      PromptContext prompt =
          builder.build(ContextRequest.of("ada", "You are Ada.", stage).memory(recalled));
      // guide end
      assertThat(recalled).containsExactly("[turn 001][note] The old bridge was closed in May.");
      assertThat(prompt.text()).contains("The old bridge was closed in May.");
    }
  }
}
