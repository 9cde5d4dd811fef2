package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.typed.Cluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents move between the placement units of two nodes, on the journal in Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RehomingTest {

  private static final int UNITS = 8;
  private static final int RUNS = 12;

  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final AgentDirectory directory = new AgentDirectory(boards);
  private final TestTypes types = new TestTypes();
  private LocalNode node;
  private LocalNode other;
  private EntityClient entities;

  @BeforeAll
  void start() {
    node = node(Optional.empty());
    other = node(Optional.of(Cluster.get(node.system()).selfMember().address()));
    LiveFixture.await()
        .until(() -> Cluster.get(other.system()).selfMember().status().toString().equals("Up"));
    entities = new EntityClient(ClusterSharding.get(node.system()), Duration.ofSeconds(5));
  }

  private LocalNode node(Optional<Address> seed) {
    return LocalNode.of(boards, types)
        .journal(TestRedis.shared().uri())
        .outstanding(() -> CompletableFuture.completedStage(Set.of()))
        .joins(seed)
        .start();
  }

  @AfterEach
  void release() {
    types.releaseAll();
  }

  @AfterAll
  void stop() {
    other.close();
    node.close();
    boards.close();
  }

  @Test
  void aSuspendedAgentGoesOnInItsNewHome() throws Exception {
    AgentHandle agent = spawn();
    types.hold("a0");
    RunHandle run = agent.run(TestTypes.input(1, "internal"), LiveFixture.options("r1"));
    LiveFixture.await().until(() -> begun(agent.id()).size() == 1);
    int unit = unit(agent.id());
    assertThat(rehome(agent.id(), unit, 3))
        .isInstanceOfSatisfying(
            AcceptReply.Rejected.class,
            rejected -> assertThat(rejected.reason()).contains("RUNNING"));
    now(agent.suspend("to move"));
    await(agent, AgentState.SUSPENDED);

    int next = (unit + 3) % UNITS;
    settles(agent.id(), unit, next);
    LiveFixture.await().until(() -> unit(agent.id()) == next);
    types.releaseAll();
    now(agent.resume("moved"));
    assertThat(result(run)).isEqualTo("a0=SUCCEEDED");
  }

  @Test
  void whatReachesAFormerHomeIsSentOn() {
    AgentHandle agent = spawn();
    int first = unit(agent.id());
    int second = (first + 1) % UNITS;
    int third = (first + 2) % UNITS;
    result(agent.run(TestTypes.input(0, "internal"), LiveFixture.options("r0")));
    settles(agent.id(), first, second);
    settles(agent.id(), first, third);
    for (int unit : List.of(first, second, third)) {
      AcceptReply reply = now(entities.accept(unit, agent.id(), stored(agent.id(), "at-" + unit)));
      assertThat(reply).isEqualTo(new AcceptReply.Accepted());
      assertThat(result(attach(agent, "at-" + unit))).isEqualTo("a0=SUCCEEDED");
    }
    settles(agent.id(), second, first);
    assertThat(now(entities.accept(second, agent.id(), request(agent.id(), "back"))))
        .isEqualTo(new AcceptReply.Accepted());
    LiveFixture.await().until(() -> unit(agent.id()) == first);
  }

  @Test
  void whatAnEarlierIncarnationSaysLaterOfItsMoveChangesNothing() {
    AgentId agent = spawn().id();
    DirectoryEntry before = now(directory.find(agent)).orElseThrow();
    now(directory.move(agent, 3, 7));
    now(directory.move(agent, 4, 7));
    now(directory.move(agent, 5, 6));
    assertThat(now(directory.find(agent)).orElseThrow())
        .isEqualTo(
            new DirectoryEntry(
                3,
                before.original(),
                before.since(),
                before.lineage(),
                Optional.empty(),
                Optional.empty()));
    now(directory.move(agent, 5, 8));
    assertThat(unit(agent)).isEqualTo(5);
    now(directory.move(new AgentId("acme", "moves", "nobody"), 5, 8));
  }

  /** Callers ask at any of the units, and moves race with runs and suspensions. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void messagesThatRaceWithMovesAreNotLostAndNothingIsDoneTwice(long seed) {
    Random random = new Random(seed);
    AgentHandle agent = spawn();
    int start = unit(agent.id());
    result(agent.run(TestTypes.input(0, "internal"), LiveFixture.options("first")));
    // From here on each unit but one is a former home.
    settles(agent.id(), start, (start + 1) % UNITS);
    List<CompletionStage<?>> told = new ArrayList<>();
    List<RunHandle> runs = new ArrayList<>();
    int words = 0;
    while (runs.size() < RUNS) {
      int unit = random.nextInt(UNITS);
      switch (random.nextInt(5)) {
        case 0 -> runs.add(agent.run(TestTypes.input(1, "once"), options(seed, runs.size())));
        case 1 -> {
          RunId id = options(seed, runs.size()).runId().orElseThrow();
          stored(agent.id(), id.value());
          told.add(accepted(agent.id(), id));
          runs.add(attach(agent, id.value()));
        }
        case 2 -> told.add(rehome(unit, agent.id(), random.nextInt(UNITS), "race"));
        case 3 -> told.add(moved(unit, agent.id(), LifecycleCommand.SUSPEND, ++words));
        default -> told.add(moved(unit, agent.id(), LifecycleCommand.RESUME, ++words));
      }
      if (random.nextInt(3) == 0) {
        told.removeIf(one -> {
          // A move may have taken an answer with it; a caller by way of the inbox asks again.
          one.exceptionally(lost -> null).toCompletableFuture().join();
          return true;
        });
      }
    }
    told.forEach(one -> one.exceptionally(lost -> null).toCompletableFuture().join());
    now(agent.resume("the end"));
    for (RunHandle run : runs) {
      assertThat(result(run)).as("seed " + seed + ", run " + run.runId()).isEqualTo("a0=SUCCEEDED");
    }
    List<String> own = begun(agent.id());
    assertThat(own).as("seed " + seed).hasSize(RUNS);
    assertThat(new HashSet<>(own)).hasSize(RUNS);
  }

  private CompletionStage<AcceptReply> rehome(int unit, AgentId agent, int to, String reason) {
    return entities.apply(unit, agent, new Intent.Rehome(to, reason), Optional.empty());
  }

  private CompletionStage<AcceptReply> moved(
      int unit, AgentId agent, LifecycleCommand command, int word) {
    return entities.apply(
        unit, agent, new Intent.ChangeState(command, "race"), Optional.of(new Position(1, word)));
  }

  /** As the inbox does: again at where the directory says the agent is, until it has it. */
  private CompletionStage<AcceptReply> accepted(AgentId agent, RunId run) {
    return directory
        .find(agent)
        .thenCompose(entry ->
            entities.accept(entry.orElseThrow().unit(), agent, request(agent, run.value())))
        .exceptionallyCompose(lost -> accepted(agent, run));
  }

  private static RunOptions options(long seed, int number) {
    return LiveFixture.options("run-" + seed + "-" + number);
  }

  private AgentHandle spawn() {
    return now(
        node.colony()
            .spawn(new AgentId("acme", "moves", "m-" + UUID.randomUUID()), TestTypes.BLUEPRINT));
  }

  private static RunRequest request(AgentId agent, String run) {
    return new RunRequest(
        ExecutionContext.of(agent, new RunId(run)),
        "test",
        TestTypes.input(1, "once"),
        "me",
        Instant.now());
  }

  /** The idempotency keys of the agent's actions, in the order in which these began. */
  private List<String> begun(AgentId agent) {
    return types.begun.stream().filter(key -> key.contains(agent.name())).toList();
  }

  /** A request that stands on the blackboard, and that no inbox delivers. */
  private RunRequest stored(AgentId agent, String run) {
    RunRequest request = request(agent, run);
    String key = new AgentRunProtocol().requestKey(agent.name(), run);
    now(
        boards
            .open(agent.scope().namespace("test"), "me")
            .write(Write.value(key, request.toJson())));
    return request;
  }

  private static RunHandle attach(AgentHandle agent, String run) {
    return agent.attach(new RunId(run), LiveFixture.options(run));
  }

  /** Its result may be known before it has come to rest. */
  private void settles(AgentId agent, int at, int to) {
    LiveFixture.await().until(() -> rehome(agent, at, to) instanceof AcceptReply.Accepted);
  }

  private AcceptReply rehome(AgentId agent, int at, int to) {
    return now(rehome(at, agent, to, "test"));
  }

  private int unit(AgentId agent) {
    return now(directory.find(agent)).orElseThrow().unit();
  }

  private static void await(AgentHandle agent, AgentState state) {
    LiveFixture.await().until(() -> now(agent.state()).orElseThrow().state() == state);
  }

  private static String result(RunHandle run) {
    AgentRun ended = LiveFixture.result(run);
    assertThat(ended.status()).as(ended.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    return ended.output().asText();
  }

  private static <T> T now(CompletionStage<T> stage) {
    return LiveFixture.now(stage);
  }
}
