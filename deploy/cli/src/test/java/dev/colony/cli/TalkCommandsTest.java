package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.LifecycleEvent;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.RunFollower;
import dev.colony.client.ColonyClient;
import dev.colony.server.fixture.ProjectRoot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents from files, and talking with them, on a node whose model is scripted. */
class TalkCommandsTest {

  private static final Path EXAMPLES = ProjectRoot.find().resolve("examples");

  @TempDir private static Path directory;
  private static ScriptedModel model;
  private static Cluster cluster;
  private static ColonyClient client;

  @BeforeAll
  static void start() {
    model = new ScriptedModel();
    cluster =
        new ClusterLauncher(StateDirectory.open(directory), Optional.empty(), notice -> {})
            .startForCommand(1, Optional.of(model.uri()), "test");
    client = ColonyClient.connect(cluster.redisUri());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
    model.close();
  }

  @Test
  void anAgentIsSpawnedOnceAndAskedAsOftenAsOneLikes() {
    Finished spawned = spawn("notes", "keeper");
    assertThat(spawned.out()).isEqualTo("local/main/keeper\n");
    assertThat(spawned.err())
        .isEqualTo("colony: spawned; ask it with: colony ask local/main/keeper TEXT\n");
    assertThat(spawn("notes", "keeper").err()).isEqualTo("colony: it is there already\n");
    assertThat(ok("ask", "local/main/keeper", "Remember \"the ferry leaves at nine\"").out())
        .contains("the ferry leaves at nine");
    Finished found =
        ok("ask", "local/main/keeper", "Find the memories with the words \"the ferry\"", "--json");
    JsonNode run = found.json();
    assertThat(run.path("status").asText()).isEqualTo("COMPLETED");
    assertThat(run.path("output").toString()).contains("the ferry leaves at nine");
    assertThat(run.path("runId").asText()).startsWith("r-");
  }

  @Test
  void thePromptOfAStepIsShownAndAPlanWhereThereIsOne() {
    spawn("notes", "shown");
    Rig.assertOneLine(
        colony("agents", "prompt", "local/main/shown"),
        1,
        "no prompt of local/main/shown is kept: it has not planned, or not lately");
    ok("ask", "local/main/shown", "Remember \"the tide turns at six\"");
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> colony("agents", "prompt", "local/main/shown", "0").status() == 0);
    assertThat(ok("agents", "prompt", "local/main/shown", "0").out())
        .contains(
            "step 0, call plan: ", " prompt tokens, ", "\n--- goals (", "the tide turns at six");
    JsonNode prompt =
        ok("agents", "prompt", "local/main/shown", "0", "--json").json().at("/prompts/0");
    assertThat(prompt.path("name").asText()).isEqualTo("plan");
    assertThat(prompt.at("/usage/promptTokens").asInt()).isPositive();
    Rig.assertOneLine(
        colony("agents", "show", "local/main/shown", "--plan"), 1, "local/main/shown has no plan");
  }

  /** A model is asked what the reviewer does; the supervisor goes by rules. */
  @Test
  void whatWasSentToAModelIsShownForEachExample() {
    AgentHandle reviewer = spawned("reviewer", "prompted");
    reviewer.run("Remember \"the lamp is lit\"", RunOptions.namespace("ask"));
    await().atMost(ColonyProcess.LONGEST).until(() -> !reviewer.pending().join().isEmpty());
    assertThat(ok("agents", "prompt", "local/main/prompted").out())
        .contains("call plan: ", "the lamp is lit");
    reviewer.deny(reviewer.pending().join().getFirst().request(), "ann", "").join();
    spawn("supervisor", "ruled");
    ok("ask", "local/main/ruled", "Remember \"the lamp is out\"");
    Rig.assertOneLine(
        colony("agents", "prompt", "local/main/ruled"), 1, "no prompt of local/main/ruled is kept");
  }

  @Test
  void anotherBlueprintUnderANameIsRefused() {
    assertThat(spawn("notes", "taken").status()).isZero();
    String file = EXAMPLES.resolve("reviewer.json").toString();
    Rig.assertOneLine(
        colony("spawn", file, "--name", "taken"),
        1,
        "agent local/main/taken exists with another blueprint: give it another --name, or leave"
            + " that one with --if-absent");
    Finished left = ok("spawn", file, "--name", "taken", "--if-absent", "--json");
    assertThat(left.json().path("spawned").asBoolean(true)).isFalse();
    assertThat(left.json().path("agentId").asText()).isEqualTo("local/main/taken");
    assertThat(ok("spawn", file, "--name", "taken", "--tenant", "acme", "--colony", "lab").out())
        .isEqualTo("acme/lab/taken\n");
  }

  /** The person's part is played once it has been said how. */
  @Test
  void whatWaitsForAPersonIsSaidAndGoesOnWhenItIsApproved() {
    AgentHandle agent = spawned("reviewer", "checker");
    RunHandle run = agent.run("Remember \"release 1.2 may ship\"", RunOptions.namespace("ask"));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    RunFollower.Pauses often = new RunFollower.Pauses(Duration.ofMillis(20), Duration.ofMillis(50));
    CompletableFuture<AgentRun> following =
        CompletableFuture.supplyAsync(() ->
            new RunFollower(often, new PrintStream(said, true, StandardCharsets.UTF_8), " --url U")
                .follow(agent, run));
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> said.toString(StandardCharsets.UTF_8).contains("or colony deny"));
    PendingApproval one = agent.pending().join().getFirst();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains(
            "colony: local/main/checker waits for a person: a person has to approve memory_write-",
            "release 1.2 may ship",
            "; answer with: colony approve local/main/checker "
                + one.request()
                + " --url U, or colony deny");
    assertThat(one.agentId()).isEqualTo(agent.id());
    assertThat(one.runId()).contains(run.runId());
    agent.approve(one.request(), "ann", "").join();
    assertThat(following.join().output().toString()).contains("release 1.2 may ship");
    assertThat(agent.pending().join()).isEmpty();
    assertThat(said.toString(StandardCharsets.UTF_8)).containsOnlyOnce("or colony deny");
  }

  @Test
  void whatAgentsAskForIsListedAndAnswered() {
    AgentHandle agent = spawned("reviewer", "listed");
    assertThat(ok("approvals", "local/main/listed").out())
        .isEqualTo("no agent waits for a person\n");
    RunHandle run = agent.run("Remember \"the gate is open\"", RunOptions.namespace("ask"));
    await().atMost(ColonyProcess.LONGEST).until(() -> !agent.pending().join().isEmpty());
    String line = ok("approvals", "local/main/listed").out();
    assertThat(line)
        .startsWith("local/main/listed waits for a person: a person has to approve memory_write-")
        .contains(
            "the gate is open",
            "answer with: colony approve local/main/listed memory_write-",
            " --state " + directory + ", or colony deny");
    assertThat(ok("approvals", "--tenant", "local", "--colony", "main").out())
        .contains(line.strip());
    JsonNode json = ok("approvals", "local/main/listed", "--json").json().path("approvals").get(0);
    assertThat(json.path("agentId").asText()).isEqualTo("local/main/listed");
    assertThat(line).contains(json.path("request").asText());
    assertThat(ok("deny", "local/main/listed", "--by", "ann").out()).contains("is denied of");
    run.join();
    assertThat(ok("approvals", "local/main/listed").out())
        .isEqualTo("no agent waits for a person\n");
  }

  @Test
  void aRunThatIsNotWaitedForAnyLongerGoesOn() {
    AgentHandle agent = spawned("reviewer", "slow");
    Finished late = colony("ask", "local/main/slow", "Remember \"it is\"", "--timeout", "200ms");
    assertThat(late.status()).isEqualTo(1);
    assertThat(late.out()).isEmpty();
    assertThat(late.err())
        .contains("of local/main/slow has not ended within PT0.2S; the run goes on")
        .containsPattern("colony attach local/main/slow r-\\w+ --state " + directory)
        .hasLineCount(1);
    await().atMost(ColonyProcess.LONGEST).until(() -> !agent.pending().join().isEmpty());
  }

  @Test
  void anAgentIsRevisedByAFileAndKeepsWhatItRemembers() throws IOException {
    spawn("notes", "changed");
    ok("ask", "local/main/changed", "Remember \"the ferry leaves at nine\"");
    Path file =
        Files.writeString(
            directory.resolve("changed.json"),
            Files.readString(EXAMPLES.resolve("notes.json")).replace("small office", "harbour"));
    assertThat(ok("agents", "revise", "local/main/changed", file.toString()).out())
        .isEqualTo("local/main/changed lives by the blueprint from its next step on\n");
    assertThat(
            ok("ask", "local/main/changed", "Find the memories with the words \"the ferry\"").out())
        .contains("the ferry leaves at nine");
    Rig.assertOneLine(
        colony("agents", "revise", "local/main/ghost", file.toString()), 1, "local/main/ghost");
  }

  @Test
  void aSupervisorHandsItsWorkToAClerk() {
    spawn("supervisor", "boss");
    JsonNode done =
        ok("ask", "local/main/boss", "Remember \"the key is under the mat\"", "--json")
            .json()
            .path("output");
    assertThat(done.path("clerk").asText()).isEqualTo("boss.ann");
    assertThat(done.path("status").asText()).isEqualTo("COMPLETED");
    assertThat(done.path("result").toString()).contains("the key is under the mat");
  }

  @Test
  void aConversationIsOneSessionAndGoesOnAfterAFailure() throws IOException {
    Path tired =
        Files.writeString(
            directory.resolve("tired.json"),
            """
            {"policy": {"type": "scripted", "args": {"rules": [
              {"when": {"variables": {"spent": true}}, "then": {"complete": "never"}},
              {"when": {}, "then": {"complete": {"heard": "$goals.0", "before": "$initialContext"}}}
            ]}}}
            """);
    ok("spawn", tired.toString());
    Finished talk =
        CommandLineRun.withInput(
            "one\n\n  two  \n/quit\nthree\n".getBytes(StandardCharsets.UTF_8),
            "chat",
            "local/main/tired",
            "--session",
            "talk-1",
            "--state",
            directory.toString());
    assertThat(talk.out()).isEmpty();
    assertThat(talk.err().lines())
        .hasSize(2)
        .allSatisfy(line ->
            assertThat(line)
                .startsWith("colony: run r-")
                .contains("of local/main/tired failed: ", "no variable initialContext"));
    assertThat(talk.status()).isEqualTo(1);
    SessionTotals totals =
        client
            .colony()
            .sessions("local", "main")
            .get(new SessionId("talk-1"))
            .join()
            .orElseThrow()
            .totals();
    assertThat(totals.runs()).isEqualTo(2);
  }

  @Test
  void whatWasSaidBeforeGoesAlongWithEachLine() throws IOException {
    Path parrot =
        Files.writeString(
            directory.resolve("parrot.json"),
            """
            {"policy": {"type": "scripted", "args": {"rules": [
              {"when": {"first": true}, "then": {"complete": "$goals.0"}}]}}}
            """);
    ok("spawn", parrot.toString());
    String lines =
        IntStream.rangeClosed(1, 22)
            .mapToObj(i -> "line " + i + "\n")
            .collect(Collectors.joining());
    Finished talk =
        CommandLineRun.withInput(
            lines.getBytes(StandardCharsets.UTF_8),
            "chat",
            "local/main/parrot",
            "--session",
            "talk-2",
            "--state",
            directory.toString());
    assertThat(talk.status()).as(talk.err()).isZero();
    assertThat(talk.out()).isEqualTo(lines);
    List<JsonNode> inputs = new ArrayList<>();
    AgentHandle agent = client.colony().agent(new AgentId("local", "main", "parrot"));
    agent
        .history(Optional.empty(), 1000)
        .join()
        .entries()
        .forEach(entry -> {
          if (entry instanceof LifecycleEvent.RunAccepted accepted) {
            inputs.add(accepted.input());
          }
        });
    assertThat(inputs).hasSize(22);
    assertThat(inputs.getFirst().has("initialContext")).isFalse();
    assertThat(inputs.getLast().path("initialContext").path("conversation"))
        .hasSize(20)
        .extracting(JsonNode::toString)
        .startsWith("{\"user\":\"line 2\",\"you\":\"line 2\"}")
        .endsWith("{\"user\":\"line 21\",\"you\":\"line 21\"}");
  }

  @Test
  void aRunThatFailsSaysWhyInOneLine() throws IOException {
    Path failing =
        Files.writeString(
            directory.resolve("failing.json"),
            """
            {"policy": {"type": "scripted", "args": {"rules": [
              {"when": {"first": true}, "then": {"fail": "no ink"}}]}}}
            """);
    ok("spawn", failing.toString());
    Rig.assertOneLine(
        colony("ask", "local/main/failing", "Write"), 1, "of local/main/failing failed: no ink");
    Finished json = colony("ask", "local/main/failing", "Write", "--json");
    assertThat(json.status()).isEqualTo(1);
    assertThat(json.json().path("error").asText()).isEqualTo("no ink");
    Rig.assertOneLine(colony("ask", "local/main/ghost", "Write"), 1, "local/main/ghost");
    Rig.assertOneLine(colony("chat", "local/main/ghost"), 1, "there is no agent local/main/ghost");
    Rig.assertOneLine(colony("approvals", "local/main/ghost"), 1, "there is no agent");
    Rig.assertOneLine(colony("ask", "local/main/failing", "  "), 2, "the TEXT is empty");
    Rig.assertOneLine(colony("ask", "failing", "Write"), 2, "tenant/colony/name");
  }

  private static Finished spawn(String example, String name) {
    return ok("spawn", EXAMPLES.resolve(example + ".json").toString(), "--name", name);
  }

  private static AgentHandle spawned(String example, String name) {
    assertThat(spawn(example, name).out()).isEqualTo("local/main/" + name + "\n");
    return client.colony().agent(new AgentId("local", "main", name));
  }

  private static Finished ok(String... arguments) {
    Finished finished = colony(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  private static Finished colony(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--state", directory.toString()));
    return CommandLineRun.of(line.toArray(String[]::new));
  }
}
