package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.ColonyClient;
import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in ask and chat: one line, nothing left running, and the run goes on. */
class TalkInterruptTest {

  private static final String REVIEWER =
      ProjectRoot.find().resolve("examples/reviewer.json").toString();
  private static final Pattern ATTACH = Pattern.compile("colony attach (\\S+) (r-\\w+)$");

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
  void anAskThatIsInterrupted() {
    AgentHandle agent = spawned("asked");
    try (ColonyProcess ask = colony("ask", agent.id().toString(), "Remember \"it ships\"")) {
      ask.awaitErr("waits for a person");
      goesOn(agent, "ask", interrupted(ask));
    }
  }

  @Test
  void aChatThatIsInterruptedDuringARun() {
    AgentHandle agent = spawned("talking");
    try (ColonyProcess chat = colony("chat", agent.id().toString())) {
      chat.type("Remember \"it ships\"");
      chat.awaitErr("waits for a person");
      goesOn(agent, "chat", interrupted(chat));
    }
  }

  @Test
  void aChatThatIsInterruptedBetweenLines() {
    AgentHandle agent = spawned("silent");
    try (ColonyProcess chat = colony("chat", agent.id().toString(), "--session", "quiet")) {
      await()
          .atMost(ColonyProcess.LONGEST)
          .until(() ->
              client
                  .colony()
                  .sessions("local", "main")
                  .get(new SessionId("quiet"))
                  .join()
                  .isPresent());
      Finished ended = interrupted(chat);
      assertThat(ended.err().lines())
          .containsExactly(
              "colony: interrupted; go on in the same session with: colony chat local/main/silent"
                  + " --session quiet");
    }
  }

  @Test
  void aTalkAtATerminalAtItsPromptAndDuringARun() {
    String id = spawned("typed").id().toString();
    try (ColonyProcess chat = atTerminal("chat", id, "--session", "typed");
        ColonyProcess during = atTerminal("chat", id);
        ColonyProcess ask = atTerminal("ask", id, "Remember \"it sails\"")) {
      chat.awaitOut("> ");
      assertThat(TerminalInterruptTest.lastLine(chat))
          .isEqualTo(
              "colony: interrupted; go on in the same session with: colony chat "
                  + id
                  + " --session typed");
      during.awaitOut("> ");
      during.type("Remember \"it ships\"");
      during.awaitOut("waits for a person");
      assertThat(TerminalInterruptTest.lastLine(during))
          .startsWith("colony: the run goes on; follow it with: ");
      ask.awaitOut("waits for a person");
      assertThat(TerminalInterruptTest.lastLine(ask))
          .startsWith("colony: the run goes on; follow it with: ");
    }
  }

  private static ColonyProcess atTerminal(String... arguments) {
    return ColonyProcess.atTerminal(directory, Map.of(), arguments);
  }

  /** What it has left: nothing of the process. */
  private static Finished interrupted(ColonyProcess command) {
    List<ProcessHandle> below = command.handle().descendants().toList();
    command.interrupt();
    Finished ended = command.await();
    assertThat(ended.status()).isEqualTo(130);
    assertThat(ended.out()).isEmpty();
    assertThat(below).noneMatch(ProcessHandle::isAlive);
    return ended;
  }

  /** The last of two lines says how the run is followed, and the run ends as it would have. */
  private static void goesOn(AgentHandle agent, String namespace, Finished ended) {
    List<String> lines = ended.err().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast()).startsWith("colony: the run goes on; follow it with: ");
    Matcher attach = ATTACH.matcher(lines.getLast());
    assertThat(attach.find()).as(lines.getLast()).isTrue();
    assertThat(attach.group(1)).isEqualTo(agent.id().toString());
    PendingApproval asked = agent.pending().join().getFirst();
    agent.approve(asked.request(), "ann", "").join();
    AgentRun run = agent.attach(new RunId(attach.group(2)), RunOptions.namespace(namespace)).join();
    assertThat(run.error()).isEmpty();
    assertThat(run.output().toString()).contains("it ships");
  }

  private static AgentHandle spawned(String name) {
    AgentId id = new AgentId("local", "main", name);
    Finished done =
        CommandLineRun.of("spawn", REVIEWER, "--name", name, "--state", directory.toString());
    assertThat(done.status()).as(done.err()).isZero();
    return client.colony().agent(id);
  }

  private static ColonyProcess colony(String... arguments) {
    return ColonyProcess.start(directory, Map.of(), arguments);
  }
}
