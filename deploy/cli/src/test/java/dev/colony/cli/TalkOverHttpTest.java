package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.client.http.HttpColony;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person does with agents over the HTTP API alone. */
class TalkOverHttpTest {

  private static final Path EXAMPLES = ProjectRoot.find().resolve("examples");

  @TempDir private static Path directory;
  private static RedisServerProcess redis;
  private static ScriptedModel model;
  private static Node node;
  private static Colony colony;

  @BeforeAll
  static void start() {
    redis = RedisServerProcess.ensure(ServerSettings.in(directory.resolve("redis")));
    model = new ScriptedModel();
    NodeOptions one = LocalNodes.options(1, redis.uri(), OptionalInt.of(0)).getFirst();
    node =
        Node.start(
            new NodeOptions(
                one.name(),
                one.remoting(),
                one.joining(),
                one.clusterSize(),
                one.api(),
                one.redisUri(),
                Optional.of(model.uri()),
                one.configFile()),
            LocalNodes.config(""));
    colony = HttpColony.at(URI.create(node.api()), "");
  }

  @AfterAll
  static void stop() {
    node.close();
    redis.stop();
    model.close();
  }

  @Test
  void whatAgentsAskForIsListedAndAnswered() {
    AgentHandle agent = spawned("reviewer", "gate", "http-one");
    AgentHandle other = spawned("reviewer", "gate", "http-two");
    asksFor(agent, "the gate is open");
    asksFor(other, "the gate is shut");

    String again = " --url " + node.api() + ", or colony deny";
    assertThat(ok("approvals", "local/gate/http-one").out())
        .contains("the gate is open", again)
        .hasLineCount(1);
    assertThat(ok("approvals", "--tenant", "local").out())
        .contains("the gate is open", "the gate is shut");
    assertThat(ok("approvals", "--tenant", "local", "--colony", "gate").out())
        .contains("the gate is open", "the gate is shut");
    Finished page = ok("approvals", "--tenant", "local", "--limit", "1", "--json");
    assertThat(page.json().path("approvals")).hasSize(1);
    assertThat(page.json().path("next").asText()).isEqualTo("local/gate/http-one");
    assertThat(ok("approvals", "--after", "local/gate/http-one").out())
        .contains("the gate is shut")
        .doesNotContain("the gate is open");

    assertThat(ok("approve", "local/gate/http-one", "--by", "ann").out())
        .matches("memory_write-\\w+ is approved of local/gate/http-one\n");
    assertThat(ok("deny", "local/gate/http-two", "--by", "ann").out())
        .matches("memory_write-\\w+ is denied of local/gate/http-two\n");
    await()
        .atMost(ColonyProcess.LONGEST)
        .untilAsserted(() ->
            assertThat(ok("approvals", "--tenant", "local", "--colony", "gate").out())
                .isEqualTo("no agent waits for a person\n"));
    Rig.assertOneLine(colony("approve", "local/gate/http-one"), 1, "asks for nothing");
    Rig.assertOneLine(colony("approve", "local/gate/ghost"), 1, "there is no agent");
    Rig.assertOneLine(colony("approvals", "local/gate/ghost"), 1, "there is no agent");
    Rig.assertOneLine(colony("approvals"), 2, "give a --tenant or an AGENT");
  }

  @Test
  void anAgentIsToldWhatItIsToldOverRedisToo() {
    String id = "local/gate/http-told";
    AgentHandle agent = spawned("reviewer", "gate", "http-told");
    asksFor(agent, "the gate is closed");
    assertThat(ok("cancel", id, "--wait", "2m").out())
        .matches("run \\S+ of " + id + " is cancelled\n");
    Rig.assertOneLine(colony("cancel", id, "r-none"), 1, id + " has no run r-none");
    assertThat(ok("suspend", id, "--until", "signal:go", "--wait", "2m").out())
        .isEqualTo(id + " is suspended until the signal go\n");
    Rig.assertOneLine(colony("suspend", id, "--until", "in:2h"), 2, "give a time");
    assertThat(ok("resume", id, "--wait", "2m").out()).isEqualTo(id + " goes on\n");
    Rig.assertOneLine(colony("resume", id), 1, id + " is not suspended");
    assertThat(ok("signal", id, "go").out()).isEqualTo("the signal go is given to " + id + "\n");
    assertThat(ok("fork", id, "http-fork", "--wait", "2m").out())
        .startsWith("local/gate/http-fork is a fork of " + id);
  }

  @Test
  void aRunIsFollowedByItsIdAlone() {
    AgentHandle agent = spawned("notes", "followed");
    RunId run = new RunId("r-followed");
    agent.run("Remember \"the tide turns\"", RunOptions.namespace("somewhere").runId(run)).join();
    Finished followed = ok("attach", "local/main/followed", "r-followed");
    assertThat(followed.out()).contains("the tide turns");
    JsonNode last =
        ok("attach", "local/main/followed", "r-followed", "--namespace", "somewhere", "--json")
            .json();
    assertThat(last.toString()).contains("the tide turns");
    Rig.assertOneLine(colony("attach", "local/main/followed", "r-none"), 1, "has no run r-none");
  }

  @Test
  void anAskThatIsNotWaitedForSaysHowItIsFollowed() {
    spawned("reviewer", "late");
    Finished late = colony("ask", "local/main/late", "Remember \"it is\"", "--timeout", "200ms");
    assertThat(late.status()).isEqualTo(1);
    assertThat(late.err())
        .containsPattern("colony attach local/main/late r-\\w+ --url " + node.api())
        .hasLineCount(1);
  }

  @Test
  void anAgentIsRevisedByAFile() throws IOException {
    AgentHandle agent = spawned("notes", "revised");
    Path file =
        Files.writeString(
            directory.resolve("revised.json"),
            """
            {"policy": {"type": "scripted", "args": {"rules": [
              {"when": {"first": true}, "then": {"complete": "by rule"}}]}}}
            """);
    assertThat(ok("agents", "revise", "local/main/revised", file.toString()).out())
        .isEqualTo("local/main/revised lives by the blueprint from its next step on\n");
    assertThat(ok("agents", "revise", "local/main/revised", file.toString()).out())
        .isEqualTo("local/main/revised lives by that blueprint already\n");
    assertThat(agent.run("Anything", RunOptions.namespace("ask")).join().output().asText())
        .isEqualTo("by rule");

    Path kind =
        Files.writeString(
            directory.resolve("kind.json"), "{\"policy\": \"minimal\", \"kind\": \"SERVICE\"}");
    Rig.assertOneLine(
        colony("agents", "revise", "local/main/revised", kind.toString()),
        1,
        "an agent keeps its kind");
    Path wrong = Files.writeString(directory.resolve("wrong.json"), "{\"policy\": \"minimel\"}");
    Finished refused = colony("agents", "revise", "local/main/revised", wrong.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("wrong.json:1:12: no policy minimel is registered");
    Rig.assertOneLine(
        colony("agents", "revise", "local/main/ghost", file.toString()), 1, "local/main/ghost");
  }

  private static void asksFor(AgentHandle agent, String text) {
    agent.run("Remember \"" + text + "\"", RunOptions.namespace("ask")).stored().join();
    await().atMost(ColonyProcess.LONGEST).until(() -> !agent.pending().join().isEmpty());
  }

  private static AgentHandle spawned(String example, String name) {
    return spawned(example, "main", name);
  }

  private static AgentHandle spawned(String example, String in, String name) {
    String file = EXAMPLES.resolve(example + ".json").toString();
    ok("spawn", file, "--name", name, "--colony", in);
    return colony.agent(new AgentId("local", in, name));
  }

  private static Finished ok(String... arguments) {
    Finished finished = colony(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  private static Finished colony(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--url", node.api(), "--state", directory.resolve("cli").toString()));
    return CommandLineRun.of(line.toArray(String[]::new));
  }
}
