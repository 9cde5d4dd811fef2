package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import dev.colony.vcm.table.PlacementPolicy.PlacementRequest;
import dev.colony.vcm.table.PlacementPolicy.Rebalance;
import dev.colony.vcm.table.UnitAssigner.UnitLoads;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Anywhere, whatever is resident: what affinity is compared with. The same seed gives the same
 * place for the same unit among the same nodes.
 */
final class RandomPlacer implements PlacementPolicy {

  private final long seed;
  private final int units;

  RandomPlacer(long seed, int units) {
    this.seed = seed;
    this.units = UnitLoads.checked(units);
  }

  @Override
  public SortedMap<PageGroupId, Integer> assign(
      Collection<PageGroup> groups, PageTableSnapshot table, ClusterView cluster) {
    SortedMap<PageGroupId, Integer> assigned = new TreeMap<>();
    groups.forEach(group -> assigned.put(group.id(), pick(group.id().value().hashCode(), units)));
    return assigned;
  }

  @Override
  public NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster) {
    List<NodeAddress> nodes = List.copyOf(NodeLoads.checked(cluster).nodes());
    return nodes.get(pick(unit, nodes.size()));
  }

  @Override
  public Rebalance rebalance(
      PageTableSnapshot table, ClusterView cluster, Drift drift, Instant now) {
    return Rebalance.NONE;
  }

  @Override
  public OptionalInt home(PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    return OptionalInt.empty();
  }

  @Override
  public OptionalInt homeOn(
      NodeAddress node, PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    int[] there =
        cluster.units().entrySet().stream()
            .filter(unit -> unit.getValue().equals(node))
            .mapToInt(Map.Entry::getKey)
            .toArray();
    boolean stays = node.equals(cluster.units().get(request.unit()));
    return stays || there.length == 0
        ? OptionalInt.empty()
        : OptionalInt.of(there[pick(request.key(), there.length)]);
  }

  private int pick(int key, int bound) {
    return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + key).nextInt(bound);
  }
}
