package dev.colony.vcm.placement;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Collection;
import java.util.SortedMap;

/** Groups and units go where their pages are resident, within bounds of balance. */
final class AffinityPolicy implements PlacementPolicy {

  private final UnitAssigner assigner;
  private final UnitPlacer placer;
  private final Rebalancer rebalancer;

  AffinityPolicy(PlacementSettings settings, int units) {
    this.assigner = new UnitAssigner(units);
    this.placer = new UnitPlacer(settings.imbalance());
    this.rebalancer = new Rebalancer(settings.rebalanceHysteresis(), settings.rebalanceMoves());
  }

  @Override
  public SortedMap<PageGroupId, Integer> assign(
      Collection<PageGroup> groups, PageTableSnapshot table, ClusterView cluster) {
    return assigner.assign(groups, table, cluster);
  }

  @Override
  public NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster) {
    return placer.place(unit, table, cluster);
  }

  @Override
  public SortedMap<Integer, NodeAddress> rebalance(PageTableSnapshot table, ClusterView cluster) {
    return rebalancer.rebalance(table, cluster);
  }
}
