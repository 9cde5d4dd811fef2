package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.node.NodeBounds;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents on real nodes whose working sets are several times the caches of two replicas: all come to
 * their ends, whatever leaves meanwhile, and none calls two replicas by leases at the same time.
 */
@Timeout(180)
class LeasedAgentsTest {

  private static final int TURNS = 12;

  @TempDir Path directory;
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final CachedModel model = new CachedModel(60, "r0", "r1");
  private final List<LocalNode> nodes = new ArrayList<>();
  private RedisServerProcess redis;
  private Duration grace = Duration.ofSeconds(2);

  @BeforeEach
  void journal() {
    redis = RedisServerProcess.ensure(ServerSettings.in(directory).withFsync(Fsync.NO));
  }

  @AfterEach
  void stop() {
    nodes.forEach(LocalNode::close);
    redis.stop();
    boards.close();
  }

  @Test
  void agentsThatDoNotFitTogetherTakeTurnsAndStayWarm() throws Exception {
    node();
    node();
    List<RunHandle> runs = runs(12);
    ended(runs);
    System.out.printf(
        "%d calls, %.2f with a lease, %.2f warm%n", model.calls(), model.leased(), model.warm());
    assertThat(model.wrong()).isEmpty();
    assertThat(model.leased()).as("calls that had a lease").isGreaterThan(0.8);
    assertThat(model.warm()).as("calls whose prompts were cached").isGreaterThan(0.4);
  }

  @Test
  void aNewClusterDoesNotWaitForTheGrace() throws Exception {
    grace = Duration.ofHours(1);
    node();
    ended(runs(4));
    assertThat(model.leased()).as("calls that had a lease").isGreaterThan(0.8);
    assertThat(model.wrong()).isEmpty();
  }

  @Test
  void aClusterThatBeginsWhileLeasesOfAnotherMayBeValidWaitsForThem() throws Exception {
    grace = Duration.ofSeconds(6);
    new LeaseService.AuthorityRecord(
            boards.open(LeaseService.AuthorityRecord.SCOPE, "test"), grace, "another")
        .first()
        .toCompletableFuture()
        .join();
    node();
    long up = System.nanoTime();
    ended(runs(1));
    // Its authority has begun about when the node was up.
    assertThat(Duration.ofNanos(System.nanoTime() - up)).isGreaterThan(Duration.ofSeconds(3));
  }

  @Test
  void theNodeOfTheAuthorityLeaves() throws Exception {
    LocalNode oldest = node();
    node();
    List<RunHandle> runs = runs(10);
    await().until(() -> model.calls() > 20);
    nodes.remove(oldest);
    oldest.close();
    ended(runs);
    assertThat(model.wrong()).isEmpty();
  }

  @Test
  void aReplicaIsGone() throws Exception {
    node();
    List<RunHandle> runs = runs(10);
    await().until(() -> model.calls() > 20);
    model.kill("r1");
    ended(runs);
    assertThat(model.wrong()).isEmpty();
  }

  private List<RunHandle> runs(int agents) throws Exception {
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < agents; i++) {
      AgentHandle agent =
          nodes
              .getLast()
              .colony()
              .spawn(new AgentId("t", "leased", "a" + i), TurnTypes.BLUEPRINT)
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      runs.add(
          agent.run(
              JsonNodeFactory.instance.objectNode().put("turns", TURNS),
              RunOptions.namespace("test")));
    }
    return runs;
  }

  private static void ended(List<RunHandle> runs) throws Exception {
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(120, TimeUnit.SECONDS);
      assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.output().asInt()).isEqualTo(TURNS);
    }
  }

  private LocalNode node() {
    Optional<Address> seed =
        nodes.isEmpty()
            ? Optional.empty()
            : Optional.of(Cluster.get(nodes.getFirst().system()).selfMember().address());
    LocalNode node =
        LocalNode.of(boards, new TurnTypes())
            .journal(redis.uri())
            .settings(SETTINGS)
            .model(model)
            .bounds(bounds())
            .joins(seed)
            .start();
    nodes.add(node);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> nodes.stream().allMatch(one -> up(one) == nodes.size()));
    return node;
  }

  private static long up(LocalNode node) {
    long members = 0;
    for (var member : Cluster.get(node.system()).state().getMembers()) {
      members += member.status().equals(MemberStatus.up()) ? 1 : 0;
    }
    return members;
  }

  private NodeBounds bounds() {
    return Bounds.leases(
        new NodeBounds.Leases(
            new LeaseTimes(2, 0.2, grace.toMillis() / 1e3, 5, 86_400),
            Duration.ofMillis(20),
            Duration.ofMillis(200)));
  }

  private static final String SETTINGS =
      """
      colony.vcm.leases { enabled = true, bound = 3s }
      """;
}
