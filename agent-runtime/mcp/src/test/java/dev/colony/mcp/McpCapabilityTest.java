package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.fixture.Guide;
import dev.colony.core.dispatch.Backoff;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents use a server of the SDK, which runs in a JVM of its own. */
class McpCapabilityTest {

  private static final String SECRET = "tell-no-one";
  private static final McpCapability.Args CHILD = McpCapability.Args.server("child");

  @TempDir Path dir;
  private final FakeModel model = FakeModel.start();
  private final List<AutoCloseable> closing = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable one : closing.reversed()) {
      one.close();
    }
    model.close();
  }

  private static List<String> server(String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                McpTestServer.class.getName()));
    command.addAll(List.of(args));
    return command;
  }

  /** A server that runs in a child process, under the name {@code child}. */
  private Config child() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), SECRET + "\n");
    Map<String, String> environment =
        Map.of(
            McpTestServer.MARKS,
            dir.resolve("marks").toString(),
            "TOKEN",
            "${file:" + secret + "}");
    return ConfigFactory.parseMap(Map.of("command", server(), "environment", environment))
        .atPath("colony.mcp.servers.child");
  }

  private McpServers servers(String settings) throws Exception {
    return servers(settings, new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1)));
  }

  private McpServers servers(String settings, Backoff restart) throws Exception {
    McpServers servers =
        new McpServers(
            McpSettings.fromConfig(
                ConfigFactory.parseString("colony.mcp {" + settings + "}")
                    .withFallback(child())
                    .withFallback(ConfigFactory.load())),
            System::getenv,
            restart);
    closing.add(servers);
    return servers;
  }

  private TestAgent agent(McpServers servers, McpCapability.Args args) {
    return agent(servers, args, new AgentId("acme", "lab", "ann"));
  }

  private TestAgent agent(McpServers servers, McpCapability.Args args, AgentId id) {
    return agent(
        servers,
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You test."))
            .capability(CapabilityBlueprint.of(McpCapability.class, args).key("srv")),
        id);
  }

  private TestAgent agent(McpServers servers, AgentBlueprint blueprint, AgentId id) {
    TestAgent agent =
        TestAgent.of(blueprint).id(id).model(model).service(McpServers.class, servers).start();
    closing.add(agent);
    return agent;
  }

  @Test
  void toolsResourcesAndPromptsAreActions() throws Exception {
    McpServers servers = servers("");
    TestAgent agent = agent(servers, CHILD);
    model.expect("srv_echo", "A server for tests.").act("srv.echo", Map.of("text", "bow"));
    model.expect("heard bow").act("srv.sum_of_two", Map.of("a", 2, "b", 40));
    model.expect("\"sum\":42").act("srv.list_resources", Map.of());
    model.expect("test://greeting").act("srv.read_resource", Map.of("uri", "test://greeting"));
    model.expect("good morning").act("srv.prompt_review", Map.of("language", "Java"));
    model.expect("Review this Java").act("srv.echo", Map.of("tone", "loud"));
    model.expect("This reply is not as it has to be").complete("done");
    AgentRun run = agent.run("go");
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(servers.connections()).isEqualTo(1);
    // Reads are not journaled before they begin, so that they may be done again after a crash.
    assertThat(agent.journal()).doesNotContain("action-intended");
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("guides/mcp.md", McpCapabilityTest.class);
  }

  @Test
  void aServerIsReachedOverHttpWithAHeaderFromAFile() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), SECRET);
    Process process = new ProcessBuilder(server("http")).redirectErrorStream(false).start();
    closing.add(process::destroyForcibly);
    String port =
        new BufferedReader(new InputStreamReader(process.getInputStream()))
            .lines()
            .filter(line -> line.startsWith(McpTestServer.PORT))
            .map(line -> line.substring(McpTestServer.PORT.length()))
            .findFirst()
            .orElseThrow();
    McpServers servers =
        servers(
            """
            servers.test {
              url = "http://127.0.0.1:%s/mcp"
              headers { Authorization = "Bearer ${file:%s}" }
              tenants = [acme]
            }
            """
                .formatted(port, secret));
    // guide: blueprint
    AgentBlueprint tester =
        AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You test."))
            .capability(
                CapabilityBlueprint.of(McpCapability.class, McpCapability.Args.server("test"))
                    .key("srv"));
    // guide end
    TestAgent agent = agent(servers, tester, new AgentId("acme", "lab", "ann"));
    model.expect("srv_echo").act("srv.echo", Map.of("text", "bow"));
    model.expect("heard bow").act("srv.fail", Map.of());
    model.expect("the disk is full").complete("done");
    assertThat(agent.run("go").status()).isEqualTo(AgentRun.Status.COMPLETED);
    AgentRun refused = agent(servers, tester, new AgentId("other", "lab", "ann")).run("go");
    assertThat(refused.status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(refused.toString()).contains("no MCP server test for agents of other");
  }

  @Test
  void aCallThatIsLostIsMadeOnceUnlessTheServerSaysThatItMayBeRepeated() throws Exception {
    TestAgent agent =
        agent(servers("", new Backoff(Duration.ofMillis(10), Duration.ofMinutes(1))), CHILD);
    model.expect("srv_strike").act("srv.strike", Map.of());
    model.expect("whether the action took effect is not known").act("srv.once", Map.of());
    model.expect("this time").complete("done");
    RunId run = agent.ask("go");
    agent.settle();
    assertThat(agent.result(run).map(AgentRun::status)).contains(AgentRun.Status.COMPLETED);
    assertThat(Files.readAllLines(dir.resolve("marks"))).containsExactly("strike", "once");
    assertThat(agent.journal()).contains("action-intended");
  }

  @Test
  void actionsFollowTheServersList() throws Exception {
    TestAgent agent = agent(servers(""), CHILD);
    model
        .expect("no srv.grown yet", prompt -> !prompt.text().contains("srv_grown"))
        .act("srv.grow", Map.of());
    model.expect("srv_grown", "growing").act("srv.grown", Map.of());
    model.expect("grown up").complete("done");
    assertThat(agent.run("go").status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void theChildHasNothingOfTheNodesEnvironmentAndNothingKeepsASecret() throws Exception {
    TestAgent agent = agent(servers(""), CHILD.allow("var*", "e*o").prefix("it"));
    model
        .expect("only what is allowed", prompt -> !prompt.text().contains("it_fail"))
        .act("it.variables", Map.of());
    model.expect("TOKEN").complete("done");
    agent.run("go");
    String names = agent.steps().all().getFirst().toString();
    assertThat(names).contains("MARKS", "PATH", "TOKEN").doesNotContain("COLONY", "SHELL");
    assertThat(agent.history().toString()).doesNotContain(SECRET);
  }

  @Test
  void aMessageThatIsTooLargeEndsTheConnectionAndNotTheAgent() throws Exception {
    TestAgent agent = agent(servers("max-message = 64 KiB, servers.child.attempts = 1"), CHILD);
    model.expect("srv_big").act("srv.big", Map.of("size", 100_000));
    model.expect("more than 65536 bytes").act("srv.echo", Map.of("text", "bow"));
    model.expect("heard bow").complete("done");
    assertThat(agent.run("go").status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void anAgentGoesOnWithoutAServerThatCannotBeStarted() throws Exception {
    McpServers servers =
        servers("start-timeout = 10m, servers.none.command = [\"" + dir.resolve("none") + "\"]");
    TestAgent agent = agent(servers, McpCapability.Args.server("none"));
    model.expect("anything", prompt -> !prompt.text().contains("srv_")).complete("done");
    assertThat(agent.run("go").status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(servers.connections()).isZero();
  }

  @Test
  void aConnectionIsOfItsAgentAndClosedWhenTheAgentUsesItNoMore() throws Exception {
    McpServers servers = servers("keep-idle = 0s, max-connections = 2");
    McpServers.Lease ann = servers.named(new AgentId("acme", "lab", "ann"), "child");
    McpServers.Lease bob = servers.named(new AgentId("acme", "lab", "bob"), "child");
    assertThat(ann.connection()).isNotSameAs(bob.connection());
    McpServers.Lease cid = servers.named(new AgentId("acme", "lab", "cid"), "child");
    assertThatThrownBy(cid::connection).hasMessageContaining("2 connections, as many as it may");
    ann.release();
    bob.release();
    await().atMost(Duration.ofSeconds(30)).until(() -> servers.connections() == 0);
  }

  @Test
  void aConnectionIsSharedByTheAgentsOfATenantWhereTheSettingsSaySo() throws Exception {
    McpServers servers = servers("keep-idle = 0s, servers.child.shared = on");
    McpServers.Lease one = servers.named(new AgentId("acme", "lab", "ann"), "child");
    McpServers.Lease two = servers.named(new AgentId("acme", "lab", "bob"), "child");
    McpServers.Lease other = servers.named(new AgentId("beta", "lab", "bob"), "child");
    assertThat(one.connection()).isSameAs(two.connection());
    assertThat(other.connection()).isNotSameAs(one.connection());
  }
}
