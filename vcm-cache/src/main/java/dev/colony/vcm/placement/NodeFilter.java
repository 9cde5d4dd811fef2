package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.SortedSet;
import java.util.TreeSet;

/** Leaves out nodes that must not get a unit; leaves all in where none would remain. */
@FunctionalInterface
interface NodeFilter {

  SortedSet<NodeAddress> filter(
      int unit, SortedSet<NodeAddress> nodes, PageTableSnapshot table, ClusterView cluster);

  /**
   * Keeps nodes whose load, the unit included, stays within a multiple of the average that all
   * assigned groups give each node once they are placed. One unit always fits on an empty node.
   */
  static NodeFilter boundedLoad(double imbalance) {
    return (unit, nodes, table, cluster) -> {
      NodeLoads loads = NodeLoads.of(table, cluster);
      long unplaced =
          table.units().stream()
              .filter(other -> !cluster.units().containsKey(other))
              .mapToLong(other -> NodeLoads.load(other, table))
              .sum();
      double average = loads.average() + (double) unplaced / cluster.nodes().size();
      long added = NodeLoads.load(unit, table);
      SortedSet<NodeAddress> left = new TreeSet<>(nodes);
      left.removeIf(node -> loads.of(node) > 0 && loads.of(node) + added > imbalance * average);
      return left.isEmpty() ? nodes : left;
    };
  }
}
