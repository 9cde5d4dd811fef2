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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An agent drives a server of PyPI's {@code mcp} from 2.0 on, which speaks the revision 2026-07-28
 * and those before. Its interpreter is that of the Python clients, see CONTRIBUTING.md.
 */
@Tag("real")
class PythonServerTest {

  private static final String SCRIPT =
      """
      from mcp.server import MCPServer
      server = MCPServer("both")
      @server.tool()
      def add(a: int, b: int) -> int:
          return a + b
      server.run("stdio")
      """;

  @Test
  void anAgentUsesAServerThatSpeaksBothKindsOfRevisions() throws Exception {
    Path python =
        Optional.ofNullable(System.getenv("COLONY_SERVERS"))
            .map(Path::of)
            .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"))
            .resolve("clients/bin/python");
    Assumptions.assumeTrue(Files.isExecutable(python), python + " is not installed");
    Process look =
        new ProcessBuilder(python.toString(), "-c", "from mcp.server import MCPServer")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Assumptions.assumeTrue(look.waitFor() == 0, python + " has no package mcp from 2.0 on");
    McpSettings settings =
        McpSettings.fromConfig(
            ConfigFactory.parseMap(
                    Map.of(
                        "colony.mcp.start-timeout",
                        "1m",
                        "colony.mcp.servers.both.command",
                        List.of(python.toString(), "-c", SCRIPT)))
                .withFallback(ConfigFactory.load()));
    AgentBlueprint blueprint =
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You test."))
            .capability(
                CapabilityBlueprint.of(McpCapability.class, McpCapability.Args.server("both"))
                    .key("py"));
    try (FakeModel model = FakeModel.start();
        McpServers servers = new McpServers(settings);
        TestAgent agent =
            TestAgent.of(blueprint).model(model).service(McpServers.class, servers).start()) {
      model.expect("py_add").act("py.add", Map.of("a", 2, "b", 40));
      model.expect("42").complete("done");
      AgentRun run = agent.run("go");
      assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    }
  }
}
