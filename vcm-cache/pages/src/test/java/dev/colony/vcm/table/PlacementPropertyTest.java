package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import java.net.URI;
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

/** Whole placements: groups get units, units get nodes. */
class PlacementPropertyTest {

  private static final PlacementSettings AFFINITY =
      PlacementSettings.of(PlacementSettings.Policy.AFFINITY, PlacementSettings.Follow.USUAL);
  private static final PlacementSettings RANDOM =
      PlacementSettings.of(PlacementSettings.Policy.RANDOM, PlacementSettings.Follow.USUAL);

  @Property(tries = 200)
  void everyGroupGetsOneUnitAndPagesAreConserved(
      @ForAll @IntRange(min = 1, max = 4) int nodes,
      @ForAll @IntRange(min = 1, max = 60) int units,
      @ForAll @IntRange(min = 0, max = 80) int groups,
      @ForAll long seed) {
    World world = new World(nodes, groups, new Random(seed)).warmedAnyhow();
    for (PlacementSettings settings : List.of(AFFINITY, RANDOM)) {
      PlacementPolicy policy = PlacementPolicy.of(settings, units);
      SortedMap<PageGroupId, Integer> assigned =
          policy.assign(world.groups, world.table(), world.cluster());

      assertThat(assigned.keySet())
          .containsExactlyInAnyOrderElementsOf(world.groups.stream().map(PageGroup::id).toList());
      assertThat(assigned.values()).allSatisfy(unit -> assertThat(unit).isBetween(0, units - 1));
      PageTableSnapshot after = world.table(assigned);
      List<PageId> pages =
          after.units().stream()
              .flatMap(unit -> after.groups(unit).stream())
              .flatMap(assignment -> assignment.pages().stream())
              .toList();
      assertThat(pages).containsExactlyInAnyOrderElementsOf(world.pages());
    }
  }

  @Property(tries = 100)
  void equalArgumentsGiveEqualDecisions(
      @ForAll @IntRange(min = 1, max = 4) int nodes,
      @ForAll @IntRange(min = 1, max = 60) int units,
      @ForAll long seed) {
    for (PlacementSettings settings : List.of(AFFINITY, RANDOM)) {
      World world = new World(nodes, 40, new Random(seed)).warmedAnyhow();
      PlacementPolicy policy = PlacementPolicy.of(settings, units);
      SortedMap<PageGroupId, Integer> first =
          policy.assign(world.groups, world.table(), world.cluster());
      Collections.shuffle(world.groups, new Random(seed));
      PlacementPolicy again = PlacementPolicy.of(settings, units);

      assertThat(again.assign(world.groups, world.table(), world.cluster())).isEqualTo(first);
      assertThat(world.placeAll(again, first)).isEqualTo(world.placeAll(policy, first));
    }
  }

  /** Nodes hold distinct groups, between equally many and the share that the bound allows. */
  @Property(tries = 200)
  void groupsEndOnTheNodeThatHoldsTheirPages(
      @ForAll @IntRange(min = 2, max = 4) int nodes,
      @ForAll @IntRange(min = 12, max = 150) int units,
      @ForAll @IntRange(min = 24, max = 120) int groups,
      @ForAll long seed) {
    World world = new World(nodes, groups, new Random(seed)).warmedDistinctly();
    PlacementPolicy policy = PlacementPolicy.of(AFFINITY, units);
    SortedMap<PageGroupId, Integer> assigned =
        policy.assign(world.groups, world.table(), world.cluster());
    Map<Integer, NodeAddress> placed = world.placeAll(policy, assigned);

    long home =
        world.groups.stream()
            .filter(g -> placed.get(assigned.get(g.id())).equals(world.homes.get(g.id())))
            .count();
    assertThat((double) home / groups).as("seed " + seed).isGreaterThanOrEqualTo(0.9);
  }

  @Property(tries = 100)
  void noNodeGetsMoreThanItsBoundWhateverIsResident(
      @ForAll @IntRange(min = 3, max = 6) int nodes, @ForAll long seed) {
    World world = new World(nodes, 90, new Random(seed)).warmedOnOneNode();
    PlacementPolicy policy = PlacementPolicy.of(AFFINITY, 60);
    SortedMap<PageGroupId, Integer> assigned =
        policy.assign(world.groups, world.table(), world.cluster());
    Map<Integer, NodeAddress> placed = world.placeAll(policy, assigned);
    PageTableSnapshot after = world.table(assigned);
    NodeLoads loads = NodeLoads.of(after, ClusterView.of(world.nodes, placed));

    assertThat(loads.byNode().values())
        .as("seed " + seed)
        .allSatisfy(load -> assertThat((double) load).isLessThanOrEqualTo(2 * loads.average()));
  }

  @Property(tries = 100)
  void withoutResidencyTheNodesShareEvenly(
      @ForAll @IntRange(min = 1, max = 5) int nodes, @ForAll long seed) {
    World world = new World(nodes, 120, new Random(seed));
    PlacementPolicy policy = PlacementPolicy.of(AFFINITY, 50);
    SortedMap<PageGroupId, Integer> assigned =
        policy.assign(world.groups, world.table(), world.cluster());
    PageTableSnapshot after = world.table(assigned);
    NodeLoads loads =
        NodeLoads.of(after, ClusterView.of(world.nodes, world.placeAll(policy, assigned)));

    assertThat(after.units()).hasSize(50);
    assertThat(loads.byNode().values())
        .as("seed " + seed)
        .allSatisfy(load ->
            assertThat((double) load).isBetween(0.8 * loads.average(), 1.2 * loads.average()));
  }

  /** Nodes, groups of pages and what is resident where. */
  private static final class World {
    private final Random random;
    private final List<NodeAddress> nodes = new ArrayList<>();
    private final List<PageGroup> groups = new ArrayList<>();
    private final Map<PageGroupId, NodeAddress> homes = new HashMap<>();
    private final Map<NodeAddress, Map<PageId, Integer>> resident = new HashMap<>();

    World(int nodeCount, int groupCount, Random random) {
      this.random = random;
      for (int i = 0; i < nodeCount; i++) {
        nodes.add(new NodeAddress("127.0.0.1:" + (7000 + i)));
        resident.put(nodes.get(i), new HashMap<>());
      }
      for (int i = 0; i < groupCount; i++) {
        int count = 2 + random.nextInt(3);
        List<PageId> pages = new ArrayList<>();
        for (int page = 0; page < count; page++) {
          pages.add(Fixtures.page(10 * i + page));
        }
        groups.add(new PageGroup(Fixtures.group(i), "dir", pages, count * 7000));
      }
    }

    World warmedAnyhow() {
      for (PageId page : pages()) {
        nodes.stream()
            .filter(node -> random.nextInt(3) == 0)
            .forEach(node -> resident.get(node).put(page, 1 + random.nextInt(7000)));
      }
      return this;
    }

    /** The first node holds up to half more than its even share, the others share the rest. */
    World warmedDistinctly() {
      double share = (1 + random.nextDouble() / 2) / nodes.size();
      int first = (int) (share * groups.size());
      for (int i = 0; i < groups.size(); i++) {
        int node = i < first ? 0 : 1 + i % (nodes.size() - 1);
        warm(groups.get(i), nodes.get(node));
      }
      Collections.shuffle(groups, random);
      return this;
    }

    World warmedOnOneNode() {
      groups.forEach(group -> warm(group, nodes.getFirst()));
      return this;
    }

    private void warm(PageGroup group, NodeAddress node) {
      homes.put(group.id(), node);
      group.pages().forEach(page -> resident.get(node).put(page, 7000));
    }

    List<PageId> pages() {
      return groups.stream().flatMap(group -> group.pages().stream()).toList();
    }

    ClusterView cluster() {
      return ClusterView.of(nodes, Map.of());
    }

    PageTableSnapshot table() {
      return table(Collections.emptySortedMap());
    }

    PageTableSnapshot table(SortedMap<PageGroupId, Integer> assigned) {
      List<ReplicaResidency> replicas = new ArrayList<>();
      resident.forEach((node, pages) ->
          replicas.add(
              new ReplicaResidency(
                  new ReplicaId("replica-" + node.value().replace(':', '-')),
                  node,
                  URI.create("http://" + node),
                  1,
                  1,
                  pages)));
      List<GroupAssignment> assignments = new ArrayList<>();
      for (PageGroup group : groups) {
        Integer unit = assigned.get(group.id());
        if (unit != null) {
          assignments.add(new GroupAssignment(group.id(), unit, group.pages(), group.sizeTokens()));
        }
      }
      return new PageTableSnapshot(replicas, assignments);
    }

    /** Places the units one after another, as a shard coordinator does. */
    Map<Integer, NodeAddress> placeAll(
        PlacementPolicy policy, SortedMap<PageGroupId, Integer> assigned) {
      PageTableSnapshot table = table(assigned);
      SortedMap<Integer, NodeAddress> placed = new TreeMap<>();
      List<Integer> order = new ArrayList<>(table.units());
      Collections.shuffle(order, new Random(7));
      for (int unit : order) {
        placed.put(unit, policy.place(unit, table, ClusterView.of(nodes, placed)));
      }
      return placed;
    }
  }
}
