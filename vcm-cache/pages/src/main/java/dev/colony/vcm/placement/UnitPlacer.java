package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A unit goes to the node that holds most of its groups' tokens, as long as that node does not get
 * too large a share of all; without residency, or in a tie, to the least loaded.
 */
final class UnitPlacer {

  private final NodeFilter filter;
  private final NodeScorer scorer = NodeScorer.residency();

  UnitPlacer(double imbalance) {
    this.filter = NodeFilter.boundedLoad(imbalance);
  }

  NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster) {
    return NodePicker.pick(
        filter.filter(unit, NodeLoads.checked(cluster).nodes(), table, cluster),
        scorer.score(unit, table),
        NodeLoads.of(table, cluster));
  }

  /** Leaves out nodes that must not get a unit; leaves all in where none would remain. */
  @FunctionalInterface
  private interface NodeFilter {

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

  /** Says how well a unit fits on each node: higher is better, absent is 0. */
  @FunctionalInterface
  private interface NodeScorer {

    Map<NodeAddress, Long> score(int unit, PageTableSnapshot table);

    /**
     * By the tokens of the unit's pages that are resident there: what need not be computed again.
     */
    static NodeScorer residency() {
      return (unit, table) -> table.residentTokens(unit);
    }
  }
}
