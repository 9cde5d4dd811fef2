package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.admission.PageAffinityAllocation;
import dev.colony.node.admission.ShardingLayout;
import dev.colony.node.entity.EntityClient;
import dev.colony.testkit.BenchReport;
import dev.colony.testkit.ScriptedSteps;
import dev.colony.testkit.StepsBench;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PlacementPolicy;
import dev.colony.vcm.table.PlacementSettings;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.IntStream;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pages of all units turn up in the replica of another node while agents are at work. Only
 * these wake them: the waker of this test knows no agents.
 */
@Tag("faults")
class FollowedPagesTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final int UNITS = 8;
  private static final int AGENTS = 24;
  private static final int STEPS = 250;

  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final BlackboardPageTable table =
      new BlackboardPageTable(
          boards, "test", TableSettings.fromConfig(ConfigFactory.defaultReference()));
  private final Map<AgentId, Long> lastSteps = new ConcurrentHashMap<>();
  private final LongAccumulator longestPause = new LongAccumulator(Math::max, 0);
  private LocalNode first;
  private LocalNode second;

  @AfterEach
  void stop() {
    if (second != null) {
      second.close();
    }
    if (first != null) {
      first.close();
    }
    table.close();
    boards.close();
  }

  @Test
  void unitsFollowTheirPagesAndEveryRunGoesOnWhereTheyAre() {
    table.loaded().toCompletableFuture().join();
    table.assign(
        IntStream.range(0, UNITS).mapToObj(FollowedPagesTest::group).toList(),
        (groups, known) -> {
          TreeMap<PageGroupId, Integer> units = new TreeMap<>();
          groups.forEach(group -> units.put(group.id(), units.size()));
          return units;
        });
    StepsBench.StepLatencies before = new StepsBench.StepLatencies();
    StepsBench.StepLatencies after = new StepsBench.StepLatencies();
    first = node(Optional.empty(), before);
    second = node(Optional.of(Cluster.get(first.system()).selfMember().address()), after);
    await().atMost(LONGEST).until(() -> up(first) == 2 && up(second) == 2);
    resident(1, first);

    StepsBench bench = new StepsBench(first.colony(), before);
    String id = "followed-" + UUID.randomUUID();
    CompletableFuture<BenchReport> running =
        CompletableFuture.supplyAsync(() -> bench.run(new StepsBench.Load(id, AGENTS, STEPS, 64)));
    await().atMost(LONGEST).until(() -> before.steps() > AGENTS);
    assertThat(after.steps()).isZero();
    resident(2, second);
    ShardingLayout layout =
        new ShardingLayout(first.system(), EntityClient.KEY, Duration.ofSeconds(1));
    await()
        .atMost(LONGEST)
        .until(() -> {
          var units = layout.view().toCompletableFuture().join().units();
          return !units.isEmpty() && Set.copyOf(units.values()).equals(Set.of(address(second)));
        });
    BenchReport report = running.orTimeout(120, TimeUnit.SECONDS).join();

    assertThat(report.completedRuns()).isEqualTo(AGENTS);
    assertThat(report.stepsInResults()).isEqualTo(AGENTS * STEPS);
    assertThat(report.notedInResults()).isEqualTo(AGENTS * STEPS);
    assertThat(after.steps()).isPositive();
    System.out.printf(
        "units followed their pages: %d agents, %d of %d steps on the new node,"
            + " longest pause between two steps of an agent %d ms%n",
        AGENTS, after.steps(), AGENTS * STEPS, longestPause.get() / 1_000_000);
  }

  /** All pages are in one node's replica and in no other. */
  private void resident(long version, LocalNode node) {
    Map<PageId, Integer> all = new HashMap<>();
    IntStream.range(0, UNITS).forEach(unit -> all.put(group(unit).pages().getFirst(), 1000));
    for (LocalNode one : List.of(first, second)) {
      table.report(
          new ReplicaResidency(
              new ReplicaId(address(one).value().replace(':', '-')),
              address(one),
              URI.create("http://" + address(one)),
              1,
              version,
              one == node ? all : Map.of()));
    }
    await()
        .atMost(LONGEST)
        .until(() -> table.snapshot().resident(group(0).pages().getFirst(), address(node)));
  }

  private static PageGroup group(int unit) {
    String id = "a".repeat(25) + (char) ('a' + unit);
    return new PageGroup(new PageGroupId(id), "dir", List.of(new PageId(id)), 1000);
  }

  private LocalNode node(Optional<Address> seed, StepsBench.StepLatencies latencies) {
    Config config = config();
    StepListener listener =
        (agent, took) -> {
          latencies.stepCompleted(agent, took);
          long now = System.nanoTime();
          Long last = lastSteps.put(agent, now);
          if (last != null) {
            longestPause.accumulate(now - last);
          }
        };
    return LocalNode.of(boards, new ScriptedSteps.BenchTypes())
        .journal(TestRedis.shared().uri())
        .outstanding(() -> CompletableFuture.completedStage(Set.of()))
        .settings(SETTINGS)
        .joins(seed)
        .listener(listener)
        .allocation(
            new PageAffinityAllocation(
                PlacementPolicy.of(
                    PlacementSettings.of(
                        PlacementSettings.Policy.AFFINITY,
                        new PlacementSettings.Follow(
                            Duration.ofMillis(500), 0.5, 3, Duration.ofMillis(500))),
                    UNITS),
                table::snapshot,
                InstantSource.system()))
        .start();
  }

  private static final String SETTINGS =
      """
      pekko.cluster.sharding.rebalance-interval = 300ms
      """;

  private static Config config() {
    return LocalNode.config(TestRedis.shared().uri(), SETTINGS);
  }

  private static NodeAddress address(LocalNode node) {
    return ShardingLayout.NodeAddresses.of(Cluster.get(node.system()).selfMember().address());
  }

  private static long up(LocalNode node) {
    long members = 0;
    for (var member : Cluster.get(node.system()).state().getMembers()) {
      members += member.status().equals(MemberStatus.up()) ? 1 : 0;
    }
    return members;
  }
}
