package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.cli.chaos.DeedServer.Held;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.server.node.NodeConfig;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.TableSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A snapshot of Redis is taken while agents work, one of them in the middle of a payment. The
 * cluster goes on, and is lost with its Redis. A new Redis begins with the snapshot, for nodes of
 * other names at other addresses: all that was acknowledged before the snapshot is back and goes
 * on, as docs/operations/data.md promises.
 */
@Tag("faults")
class BackupTest {

  private static final int STEPS = 6;
  private static final double RUNS_PER_SECOND = 6;
  private static final int ENTRIES = 100;
  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final Scope SCOPE = Scope.colony("acme", "chaos");
  private static final AgentId SLEEPER = new AgentId("acme", "chaos", "sleeper");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  private final Map<String, Entry> entries = new HashMap<>();
  private Map<RunId, AgentRun> answered = Map.of();
  private Set<AgentId> agents = Set.of();

  @Test
  void whatWasAcknowledgedIsBackElsewhereAndGoesOn() throws IOException {
    Path before = Files.createDirectories(folder.resolve("before"));
    Path after = Files.createDirectories(folder.resolve("after"));
    try (DeedServer world = new DeedServer();
        Network elsewhere = new Network()) {
      backUpAndLose(before, after.resolve("redis").resolve("dump.rdb"), world);
      Copied copied = Copied.read(after.resolve("redis"), agents);
      assertThat(copied.runs()).containsAll(answered.keySet());
      assertThat(copied.runs().size())
          .as("runs in the middle")
          .isGreaterThan(copied.ended().size());
      int deeds = world.deeds().size();

      try (ChaosCluster restored = new ChaosCluster(after, elsewhere.addresses(), "other")) {
        await()
            .atMost(LONGEST)
            .until(() -> restored.published(copied.accepted()).keySet().equals(copied.runs()));
        assertThat(world.deeds().size()).as("actions after the restart").isGreaterThan(deeds);
        held(restored, copied, world);
        entriesAreBack(restored);
        agentsAreBack(restored);
        onlyNewReplicasAreKnown(restored, elsewhere);
        goesOn(restored, world);
      }
    }
  }

  /** Nothing but the copy is left when this returns. */
  private void backUpAndLose(Path before, Path copy, DeedServer world) throws IOException {
    try (ChaosCluster cluster = ChaosCluster.direct(before);
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      AgentHandle sleeper =
          cluster.colony().spawn(SLEEPER, Errand.BLUEPRINT).toCompletableFuture().join();
      sleeper
          .suspend("until tomorrow", new ResumptionCondition.At(Instant.now().plusSeconds(86_400)))
          .toCompletableFuture()
          .join();
      write(cluster.blackboards());
      load.start(RUNS_PER_SECOND);
      await().atMost(LONGEST).until(() -> load.answered() > 20);
      Held payment = world.hold(Errand.Kind.PAY);
      payment.await();
      answered = load.answers();
      cluster.backUp(copy);
      int answeredThen = load.answered();
      await().atMost(LONGEST).until(() -> load.answered() > answeredThen + 5);
      load.stop();
      agents = Set.copyOf(load.accepted().keySet());
      cluster.nodes().names().forEach(cluster.nodes()::kill);
      payment.release();
    }
  }

  private void write(Blackboards blackboards) {
    Blackboard board = blackboards.open(SCOPE, "test");
    List<String> keys = IntStream.range(0, ENTRIES).mapToObj(i -> "kept:" + i).toList();
    keys.forEach(key ->
        board.write(Write.value(key, Map.of("of", key)).tags("kept")).toCompletableFuture().join());
    board
        .readAll(keys)
        .toCompletableFuture()
        .join()
        .forEach(entry -> entries.put(entry.key(), entry));
  }

  private void held(ChaosCluster restored, Copied copied, DeedServer world) {
    Map<RunId, Evidence.Published> published = restored.published(copied.accepted());
    Map<RunId, AgentRun> results = new HashMap<>();
    published.forEach((run, result) -> results.put(run, AgentRun.fromJson(result.value())));
    assertThat(results).containsAllEntriesOf(answered);
    Evidence evidence =
        new Evidence(
            STEPS,
            copied.accepted(),
            results,
            published,
            restored.journals(copied.accepted().keySet()),
            world.deeds());
    List<Finding> findings =
        List.of(
            RunInvariants.everyRunEnds(evidence),
            RunInvariants.oneResult(evidence),
            DeedInvariants.sentUnderOneKey(evidence),
            JournalInvariants.noStepLost(evidence),
            JournalInvariants.oneIncarnation(evidence),
            paidOnce(copied, world.deeds()));
    findings.forEach(System.out::println);
    assertThat(findings).flatExtracting(Finding::violations).isEmpty();
  }

  /**
   * A payment that the snapshot knows to have begun is not made again. Of one that began later the
   * restored cluster knows nothing: it is made again, under the key that it had.
   */
  private static Finding paidOnce(Copied copied, List<Deed> deeds) {
    Finding finding = new Finding("paid-once-or-under-its-key", "payments");
    Map<Copied.Place, List<Deed>> payments =
        deeds.stream()
            .filter(deed -> deed.kind() == Errand.Kind.PAY)
            .collect(Collectors.groupingBy(Copied.Place::of));
    payments.forEach((place, made) -> {
      long keys = made.stream().map(Deed::key).distinct().count();
      boolean once = made.size() == 1;
      boolean known = copied.intended().contains(place);
      finding.check(
          once || !known && keys == 1,
          "%s was made %d times under %d keys; the snapshot knew of it: %s",
          place,
          made.size(),
          keys,
          known);
    });
    return finding;
  }

  private void entriesAreBack(ChaosCluster restored) {
    List<Entry> found =
        restored
            .blackboards()
            .open(SCOPE, "test")
            .readAll(entries.keySet())
            .toCompletableFuture()
            .join();
    assertThat(found).containsExactlyInAnyOrderElementsOf(entries.values());
  }

  private void agentsAreBack(ChaosCluster restored) {
    List<AgentId> all = new ArrayList<>(agents);
    all.add(SLEEPER);
    List<ListedAgent> listed =
        new AgentDirectory(restored.blackboards())
            .list("acme", "chaos", 100, Optional.empty())
            .toCompletableFuture()
            .join();
    assertThat(listed).extracting(ListedAgent::id).containsExactlyInAnyOrderElementsOf(all);
    AgentHandle sleeper = restored.colony().agent(SLEEPER);
    assertThat(state(sleeper)).isEqualTo(AgentState.SUSPENDED);
    sleeper.resume("the test").toCompletableFuture().join();
    await().atMost(LONGEST).until(() -> state(sleeper) == AgentState.IDLE);
  }

  private static AgentState state(AgentHandle agent) {
    return agent.state().toCompletableFuture().join().orElseThrow().state();
  }

  private static void onlyNewReplicasAreKnown(ChaosCluster restored, Network elsewhere) {
    Set<String> addresses =
        elsewhere.addresses().stream()
            .map(ChaosCluster.Address::toString)
            .collect(Collectors.toSet());
    try (BlackboardPageTable table =
        new BlackboardPageTable(
            restored.blackboards(),
            "test",
            TableSettings.fromConfig(NodeConfig.base(Optional.empty())))) {
      await()
          .atMost(LONGEST)
          .until(() ->
              table.snapshot().replicas().stream()
                  .map(replica -> replica.node().value())
                  .collect(Collectors.toSet())
                  .equals(addresses));
    }
  }

  /** Asked again for what is done, an agent does nothing; asked for more, it does that. */
  private void goesOn(ChaosCluster restored, DeedServer world) {
    AgentHandle agent = restored.colony().agent(agents.iterator().next());
    RunId done =
        answered.keySet().stream()
            .filter(run -> answer(agent, run).isPresent())
            .findFirst()
            .orElseThrow();
    int deeds = world.deeds().size();
    assertThat(run(agent, done, world)).isEqualTo(answered.get(done));
    assertThat(world.deeds()).hasSize(deeds);
    assertThat(run(agent, new RunId("new"), world).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static Optional<AgentRun> answer(AgentHandle agent, RunId run) {
    return agent.ended(run, options(run)).toCompletableFuture().join();
  }

  private static AgentRun run(AgentHandle agent, RunId run, DeedServer world) {
    return agent
        .run(Errand.input(run.value(), STEPS, world.port()), options(run))
        .result()
        .toCompletableFuture()
        .orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  private static RunOptions options(RunId run) {
    return RunOptions.namespace(Errand.NAMESPACE).runId(run);
  }
}
