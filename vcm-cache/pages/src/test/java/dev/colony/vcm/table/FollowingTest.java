package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import dev.colony.vcm.table.PlacementPolicy.Rebalance;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Units and their pages over many rounds of rebalancing, a second apart. */
class FollowingTest {

  private static final int TOKENS = 1000;
  private static final Duration AFTER = Duration.ofSeconds(10);
  private static final Duration INTERVAL = Duration.ofSeconds(7);

  @Property(tries = 20)
  void unitsEndWhereTheirPagesAreAndStayThere(
      @ForAll @IntRange(min = 2, max = 5) int nodes,
      @ForAll @IntRange(min = 1, max = 4) int moves,
      @ForAll long seed) {
    Cluster cluster = new Cluster(nodes, 4 * nodes, moves, new Random(seed));
    cluster.pagesEvenlyAnywhere();
    long misplaced = cluster.misplaced();
    int enough = 20 + cluster.units.size() * (int) INTERVAL.toSeconds();
    cluster.rounds(enough);

    assertThat(cluster.misplaced()).as("seed " + seed).isZero();
    assertThat(cluster.moved).as("seed " + seed).hasSize((int) misplaced);
  }

  @Property(tries = 20)
  void noMoreMoveWithinAnIntervalThanTheLimit(
      @ForAll @IntRange(min = 2, max = 5) int nodes,
      @ForAll @IntRange(min = 0, max = 4) int moves,
      @ForAll long seed) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster(nodes, 4 * nodes, moves, random);
    for (int round = 0; round < 200; round++) {
      if (random.nextInt(20) == 0) {
        cluster.pagesEvenlyAnywhere();
      }
      cluster.rounds(1);
    }

    for (Instant from : cluster.moved) {
      assertThat(cluster.moved.stream().filter(at -> within(from, at)).count())
          .as("seed " + seed)
          .isLessThanOrEqualTo(moves);
    }
  }

  @Property(tries = 20)
  void whatIsElsewhereForLessThanTheTimeMovesNothing(
      @ForAll @IntRange(min = 2, max = 5) int nodes, @ForAll long seed) {
    Random random = new Random(seed);
    Cluster cluster = new Cluster(nodes, 4 * nodes, 4, random);
    for (int change = 0; change < 30; change++) {
      cluster.pagesElsewhere();
      cluster.rounds(1 + random.nextInt((int) AFTER.toSeconds()));
      cluster.pagesAtHome();
      cluster.rounds(1 + random.nextInt(5));
    }

    assertThat(cluster.moved).as("seed " + seed).isEmpty();
  }

  @Property(tries = 20)
  void whatIsElsewhereByLessThanTheMarginMovesNothing(
      @ForAll @IntRange(min = 2, max = 5) int nodes, @ForAll long seed) {
    Cluster cluster = new Cluster(nodes, 4 * nodes, 4, new Random(seed));
    for (int round = 0; round < 100; round++) {
      cluster.pagesEverywhereWithNoise();
      cluster.rounds(1);
    }

    assertThat(cluster.moved).as("seed " + seed).isEmpty();
  }

  @Property(tries = 20)
  void whateverIsResidentTheClusterComesToRest(
      @ForAll @IntRange(min = 2, max = 5) int nodes, @ForAll long seed) {
    Cluster cluster = new Cluster(nodes, 4 * nodes, 4, new Random(seed));
    cluster.pagesAnyhow();
    cluster.rounds(10 * cluster.units.size() + 100);
    int before = cluster.moved.size();
    cluster.rounds(200);

    assertThat(cluster.moved).as("seed " + seed).hasSize(before);
    assertThat(before).as("seed " + seed).isLessThanOrEqualTo(2 * cluster.units.size());
  }

  @Property(tries = 20)
  void noNodeIsFollowedBeyondItsBound(
      @ForAll @IntRange(min = 3, max = 5) int nodes, @ForAll long seed) {
    Cluster cluster = new Cluster(nodes, 4 * nodes, 4, new Random(seed));
    cluster.pagesOnOneNode();
    cluster.rounds(200);

    long there = cluster.units.values().stream().filter(cluster.nodes.getFirst()::equals).count();
    assertThat(there).as("seed " + seed).isBetween(5L, 8L);
  }

  @Test
  void anIdleClusterStaysStill() {
    Cluster cluster = new Cluster(3, 12, 4, new Random(1));
    cluster.pagesAtHome();
    cluster.rounds(500);
    assertThat(cluster.moved).isEmpty();
    cluster.nothingResident();
    cluster.rounds(500);
    assertThat(cluster.moved).isEmpty();
  }

  @Test
  void aNewOwnerOfTheMemoryBeginsToWatchAnew() {
    Cluster cluster = new Cluster(2, 2, 4, new Random(1));
    cluster.pagesElsewhere();
    cluster.rounds((int) AFTER.toSeconds());
    assertThat(cluster.moved).isEmpty();
    cluster.drift = Drift.NONE;
    cluster.rounds((int) AFTER.toSeconds());
    assertThat(cluster.moved).isEmpty();
    cluster.rounds(1);
    assertThat(cluster.moved).isNotEmpty();
  }

  private static boolean within(Instant from, Instant at) {
    return !at.isBefore(from) && at.isBefore(from.plus(INTERVAL));
  }

  /** Each unit has one page; moved units are where the placer puts them. */
  private static final class Cluster {
    private final Random random;
    private final PlacementPolicy policy;
    private final List<NodeAddress> nodes = new ArrayList<>();
    private final SortedMap<Integer, NodeAddress> units = new TreeMap<>();
    private final Map<NodeAddress, Map<PageId, Integer>> resident = new HashMap<>();
    private final List<Instant> moved = new ArrayList<>();
    private Drift drift = Drift.NONE;
    private Instant now = Instant.EPOCH;

    Cluster(int nodeCount, int unitCount, int moves, Random random) {
      this.random = random;
      this.policy =
          PlacementPolicy.of(
              PlacementSettings.of(
                  PlacementSettings.Policy.AFFINITY,
                  new PlacementSettings.Follow(AFTER, 0.5, moves, INTERVAL)),
              unitCount);
      for (int node = 0; node < nodeCount; node++) {
        nodes.add(new NodeAddress("127.0.0.1:" + (7000 + node)));
      }
      for (int unit = 0; unit < unitCount; unit++) {
        units.put(unit, nodes.get(unit % nodeCount));
      }
      nothingResident();
    }

    void nothingResident() {
      nodes.forEach(node -> resident.put(node, new HashMap<>()));
    }

    /** As many on each node as units are, but not where the units are. */
    void pagesEvenlyAnywhere() {
      nothingResident();
      List<Integer> order = new ArrayList<>(units.keySet());
      Collections.shuffle(order, random);
      for (int i = 0; i < order.size(); i++) {
        hold(nodes.get(i % nodes.size()), order.get(i), TOKENS);
      }
    }

    void pagesAtHome() {
      nothingResident();
      units.forEach((unit, node) -> hold(node, unit, TOKENS));
    }

    void pagesElsewhere() {
      nothingResident();
      units.forEach(
          (unit, node) -> hold(nodes.get((nodes.indexOf(node) + 1) % nodes.size()), unit, TOKENS));
    }

    void pagesOnOneNode() {
      nothingResident();
      units.forEach((unit, home) -> hold(nodes.getFirst(), unit, TOKENS));
    }

    void pagesEverywhereWithNoise() {
      nothingResident();
      units.forEach((unit, home) -> {
        for (NodeAddress node : nodes) {
          hold(node, unit, TOKENS / 4 + random.nextInt(TOKENS / 2));
        }
      });
    }

    void pagesAnyhow() {
      nothingResident();
      int favoured = random.nextInt(nodes.size());
      units.forEach((unit, home) -> {
        for (int node = 0; node < nodes.size(); node++) {
          if (random.nextInt(node == favoured ? 2 : 4) == 0) {
            hold(nodes.get(node), unit, 1 + random.nextInt(TOKENS));
          }
        }
      });
    }

    private void hold(NodeAddress node, int unit, int tokens) {
      resident.get(node).put(Fixtures.page(unit), tokens);
    }

    long misplaced() {
      PageTableSnapshot table = table();
      return units.entrySet().stream()
          .filter(unit -> !table.resident(Fixtures.page(unit.getKey()), unit.getValue()))
          .count();
    }

    void rounds(int count) {
      for (int round = 0; round < count; round++) {
        now = now.plusSeconds(1);
        PageTableSnapshot table = table();
        Rebalance rebalance = policy.rebalance(table, ClusterView.of(nodes, units), drift, now);
        drift = rebalance.drift();
        units.keySet().removeAll(rebalance.moves().keySet());
        rebalance
            .moves()
            .forEach((unit, where) -> {
              NodeAddress placed = policy.place(unit, table, ClusterView.of(nodes, units));
              assertThat(placed).isEqualTo(where);
              units.put(unit, placed);
              moved.add(now);
            });
      }
    }

    private PageTableSnapshot table() {
      List<ReplicaResidency> replicas = new ArrayList<>();
      for (NodeAddress node : nodes) {
        replicas.add(
            new ReplicaResidency(
                new ReplicaId("r" + nodes.indexOf(node)),
                node,
                URI.create("http://" + node),
                1,
                1,
                resident.get(node)));
      }
      int count = 4 * nodes.size();
      List<GroupAssignment> assignments = new ArrayList<>();
      for (int unit = 0; unit < count; unit++) {
        assignments.add(
            new GroupAssignment(Fixtures.group(unit), unit, List.of(Fixtures.page(unit)), TOKENS));
      }
      return new PageTableSnapshot(replicas, assignments);
    }
  }
}
