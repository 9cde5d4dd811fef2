package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Moves units only away from a node that holds clearly more than the average: those with the least
 * resident there first, to the least loaded node, and only where that node ends below the one that
 * gave. The bound from which it moves is at least the one that placing keeps, so that what it moves
 * is not placed back, whatever is resident there.
 */
final class Rebalancer {

  private final double hysteresis;
  private final int moves;

  Rebalancer(double hysteresis, int moves) {
    this.hysteresis = hysteresis;
    this.moves = moves;
  }

  SortedMap<Integer, NodeAddress> rebalance(PageTableSnapshot table, ClusterView cluster) {
    SortedMap<Integer, NodeAddress> moved = new TreeMap<>();
    ClusterView view = cluster;
    for (int i = 0; i < moves; i++) {
      Optional<Map.Entry<Integer, NodeAddress>> move = next(table, view, moved);
      if (move.isEmpty()) {
        break;
      }
      moved.put(move.get().getKey(), move.get().getValue());
      TreeMap<Integer, NodeAddress> units = new TreeMap<>(view.units());
      units.putAll(moved);
      view = new ClusterView(view.nodes(), units);
    }
    return moved;
  }

  private Optional<Map.Entry<Integer, NodeAddress>> next(
      PageTableSnapshot table, ClusterView view, Map<Integer, NodeAddress> moved) {
    if (view.nodes().size() < 2) {
      return Optional.empty();
    }
    NodeLoads loads = NodeLoads.of(table, view);
    Comparator<NodeAddress> byLoad =
        Comparator.<NodeAddress>comparingLong(loads::of).thenComparing(Comparator.naturalOrder());
    NodeAddress fullest = view.nodes().stream().max(byLoad).orElseThrow();
    NodeAddress emptiest = view.nodes().stream().min(byLoad).orElseThrow();
    if (loads.of(fullest) <= hysteresis * loads.average()) {
      return Optional.empty();
    }
    return view.units().entrySet().stream()
        .filter(unit -> unit.getValue().equals(fullest) && !moved.containsKey(unit.getKey()))
        .map(Map.Entry::getKey)
        .filter(unit ->
            loads.of(emptiest) + NodeLoads.load(unit, table)
                <= loads.of(fullest) - NodeLoads.load(unit, table))
        .min(
            Comparator.<Integer>comparingLong(
                    unit -> table.residentTokens(unit).getOrDefault(fullest, 0L))
                .thenComparing(Comparator.naturalOrder()))
        .map(unit -> Map.entry(unit, emptiest));
  }
}
