package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;

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
}
