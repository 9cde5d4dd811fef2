package dev.colony.vcm.placement;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Groups and units go where their pages are resident, within bounds of balance. */
final class AffinityPolicy implements PlacementPolicy {

  private final UnitAssigner assigner;
  private final UnitPlacer placer;
  private final Rebalancer rebalancer;
  private final StickyPlacement sticky;
  private final HomeChoice homes;

  AffinityPolicy(PlacementSettings settings, int units) {
    this.assigner = new UnitAssigner(units);
    this.placer = new UnitPlacer(settings.imbalance());
    this.rebalancer = new Rebalancer(settings.rebalanceHysteresis(), settings.rebalanceMoves());
    this.sticky = new StickyPlacement(settings.follow(), placer);
    this.homes = new HomeChoice(settings.follow().margin());
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

  /** Load first: what leaves a node that is too full makes room there, for others than itself. */
  @Override
  public Rebalance rebalance(
      PageTableSnapshot table, ClusterView cluster, Drift drift, Instant now) {
    SortedMap<Integer, NodeAddress> moves = new TreeMap<>(rebalancer.rebalance(table, cluster));
    ClusterView view = cluster;
    for (Map.Entry<Integer, NodeAddress> move : moves.entrySet()) {
      view = view.with(move.getKey(), move.getValue());
    }
    Rebalance followed = sticky.follow(table, view, drift, now);
    moves.putAll(followed.moves());
    return new Rebalance(moves, followed.drift());
  }

  @Override
  public OptionalInt home(PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    return homes.better(request, table, cluster);
  }

  @Override
  public OptionalInt homeOn(
      NodeAddress node, PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    return homes.on(node, request, table, cluster);
  }
}
