package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.ColonyContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The example of docs/guides/testing.md that runs the image. */
class ContainerGuideTest {

  private static final AgentBlueprint GREETER =
      AgentBlueprint.of(
          ScriptedActionPolicy.class, Script.of(ScriptedRule.otherwise().complete("hello")));

  // guide: container
  /** {@code mvn test -Dimage=colony}, where there are a container engine and the image. */
  @Test
  @EnabledIfSystemProperty(named = "image", matches = ".+")
  void theImageRunsAnAgent() {
    try (ColonyContainer node = new ColonyContainer(System.getProperty("image"))) {
      node.start();
      AgentHandle greeter =
          node.colony()
              .spawn(new AgentId("acme", "lab", "greeter"), GREETER)
              .toCompletableFuture()
              .join();

      AgentRun run = greeter.run("good morning", RunOptions.namespace("test")).join();

      assertThat(run.output().asText()).isEqualTo("hello");
    }
  }

  // guide end
}
