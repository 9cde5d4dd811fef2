package dev.colony.vcm.table;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How much each node carries: the tokens of its units' pages, plus one per unit, so that units
 * without pages are counted by their number and never outweigh pages.
 */
record NodeLoads(SortedMap<NodeAddress, Long> byNode) {

  static NodeLoads of(PageTableSnapshot table, ClusterView cluster) {
    SortedMap<NodeAddress, Long> loads = new TreeMap<>();
    cluster.nodes().forEach(node -> loads.put(node, 0L));
    for (Map.Entry<Integer, NodeAddress> unit : cluster.units().entrySet()) {
      loads.merge(unit.getValue(), load(unit.getKey(), table), Long::sum);
    }
    return new NodeLoads(loads);
  }

  static ClusterView checked(ClusterView cluster) {
    if (cluster.nodes().isEmpty()) {
      throw new IllegalArgumentException("a unit cannot be placed in a cluster without nodes");
    }
    return cluster;
  }

  static long load(int unit, PageTableSnapshot table) {
    return table.sizeTokens(unit) + 1;
  }

  long of(NodeAddress node) {
    return byNode.get(node);
  }

  double average() {
    return byNode.values().stream().mapToLong(Long::longValue).average().orElse(0);
  }

  /**
   * Picks the node with the highest score; among equals the least loaded; then the first by name.
   */
  static final class NodePicker {

    private NodePicker() {}

    static NodeAddress pick(
        Collection<NodeAddress> nodes, Map<NodeAddress, Long> scores, NodeLoads loads) {
      return nodes.stream()
          .min(
              Comparator.<NodeAddress>comparingLong(node -> -scores.getOrDefault(node, 0L))
                  .thenComparingLong(loads::of)
                  .thenComparing(Comparator.naturalOrder()))
          .orElseThrow();
    }

    /** The node on which most is resident; empty where nothing is resident on any of the nodes. */
    static Optional<NodeAddress> strongest(
        Map<NodeAddress, Long> resident, Collection<NodeAddress> nodes, NodeLoads loads) {
      List<NodeAddress> holders =
          nodes.stream().filter(node -> resident.getOrDefault(node, 0L) > 0).toList();
      return holders.isEmpty() ? Optional.empty() : Optional.of(pick(holders, resident, loads));
    }
  }
}
