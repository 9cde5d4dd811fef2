package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Main;
import dev.colony.cli.Rig;
import dev.colony.client.ColonyClient;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The MCP inspector's client of npm against a cluster that is up: it lists and calls a colony's
 * agents, and reads its resources, over both transports.
 */
@Tag("faults")
class McpInspectorTest {

  private static final String INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

  @TempDir private static Path folder;

  private static FakeModel model;
  private static Rig rig;
  private static String url;

  @BeforeAll
  static void start() throws Exception {
    Assumptions.assumeTrue(npx(), "npx is not on the PATH: the inspector is not run");
    model = FakeModel.start();
    rig = new Rig();
    Finished up = rig.run("up", "--model-url", model.uri().toString());
    assertThat(up.status()).as(up.err()).isZero();
    url = rig.node("node-1").api() + "/v1/tenants/acme/colonies/lab/mcp";
    try (ColonyClient client = ColonyClient.connect(rig.redis().orElseThrow().uri())) {
      client
          .colony()
          .spawn(
              new AgentId("acme", "lab", "reviewer"),
              AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You review.")))
          .join();
      client
          .blackboards()
          .open(Scope.colony("acme", "lab"), "tester")
          .write(Write.value("finding:1", Map.of("severity", "high")))
          .toCompletableFuture()
          .join();
    }
    ObjectNode servers = JsonMapper.builder().build().createObjectNode();
    ObjectNode colony = servers.putObject("mcpServers").putObject("colony");
    colony.put("command", Path.of(System.getProperty("java.home"), "bin", "java").toString());
    List.of(
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "mcp",
            "acme/lab",
            "--state",
            rig.state().toString())
        .forEach(colony.putArray("args")::add);
    Files.writeString(folder.resolve("servers.json"), servers.toString());
  }

  @AfterAll
  static void stop() {
    if (rig != null) {
      rig.close();
      model.close();
    }
  }

  @Test
  void overStandardInputAndOutput() throws Exception {
    drive(List.of("--config", folder.resolve("servers.json").toString(), "--server", "colony"));
  }

  @Test
  void overHttp() throws Exception {
    drive(List.of(url, "--transport", "http"));
  }

  private static void drive(List<String> server) throws Exception {
    JsonNode tools = inspect(server, "--method", "tools/list").path("tools");
    assertThat(tools.findValuesAsText("name")).contains("run_agent", "ask_reviewer");
    model.expect("You review.", "look at the parser").complete("the parser is sound");
    JsonNode called =
        inspect(
            server,
            "--method",
            "tools/call",
            "--tool-name",
            "ask_reviewer",
            "--tool-arg",
            "input=look at the parser");
    assertThat(called.path("isError").asBoolean()).as(called.toString()).isFalse();
    assertThat(called.path("content").path(0).path("text").asText())
        .contains("the parser is sound");
    assertThat(called.path("structuredContent").path("status").asText()).isEqualTo("COMPLETED");
    assertThat(
            inspect(server, "--method", "resources/list").path("resources").findValuesAsText("uri"))
        .containsExactly("colony://acme/lab/board/finding%3A1");
    assertThat(
            inspect(
                    server,
                    "--method",
                    "resources/read",
                    "--uri",
                    "colony://acme/lab/board/finding%3A1")
                .path("contents")
                .path(0)
                .path("text")
                .asText())
        .isEqualTo("{\"severity\":\"high\"}");
  }

  private static JsonNode inspect(List<String> server, String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of("npx", "-y", INSPECTOR, "--cli"));
    line.addAll(server);
    line.addAll(List.of(arguments));
    Path err = Files.createTempFile(folder, "inspector", ".err");
    Process process = new ProcessBuilder(line).redirectError(err.toFile()).start();
    try {
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as("%s: %s %s", line, out, Files.readString(err)).isZero();
      return JsonMapper.builder().build().readTree(out);
    } finally {
      process.destroyForcibly();
    }
  }

  private static boolean npx() throws InterruptedException {
    try {
      Process npx =
          new ProcessBuilder("npx", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return npx.waitFor(30, TimeUnit.SECONDS) && npx.exitValue() == 0;
    } catch (IOException none) {
      return false;
    }
  }
}
