package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Map;
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
}
