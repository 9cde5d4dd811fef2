package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An agent drives the protocol's reference server, which npm fetches. */
@Tag("faults")
class EverythingServerTest {

  private static final String SERVER = "@modelcontextprotocol/server-everything@2026.8.31";

  @BeforeAll
  static void npm() throws InterruptedException {
    boolean there;
    try {
      Process npx =
          new ProcessBuilder("npx", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      there = npx.waitFor(30, TimeUnit.SECONDS) && npx.exitValue() == 0;
    } catch (IOException none) {
      there = false;
    }
    Assumptions.assumeTrue(there, "npx is not on the PATH: the reference server is not driven");
  }

  @Test
  void anAgentUsesTheReferenceServersToolsResourcesAndPrompts() {
    McpSettings settings =
        McpSettings.fromConfig(
            ConfigFactory.parseString(
                    """
                    colony.mcp {
                      start-timeout = 5m
                      servers.everything { command = [npx, -y, "%s"] }
                    }
                    """
                        .formatted(SERVER))
                .withFallback(ConfigFactory.load()));
    AgentBlueprint blueprint =
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You test."))
            .capability(
                CapabilityBlueprint.of(
                        McpCapability.class,
                        McpCapability.Args.server("everything")
                            .allow("echo", "get-sum", "*_resource*", "prompt_simple*"))
                    .key("every"));
    try (FakeModel model = FakeModel.start();
        McpServers servers = new McpServers(settings);
        TestAgent agent =
            TestAgent.of(blueprint).model(model).service(McpServers.class, servers).start()) {
      model.expect("every_echo").act("every.echo", Map.of("message", "bow"));
      model.expect("Echo: bow").act("every.get-sum", Map.of("a", 2, "b", 40));
      model.expect("42").act("every.list_resources", Map.of());
      model
          .expect("demo://resource")
          .act("every.read_resource", Map.of("uri", "demo://resource/dynamic/text/1"));
      model.expect("Resource 1").act("every.prompt_simple-prompt", Map.of());
      model.expect("role").complete("done");
      AgentRun run = agent.run("go");
      assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    }
  }
}
