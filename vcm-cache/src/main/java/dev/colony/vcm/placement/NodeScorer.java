package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Map;

/** Says how well a unit fits on each node: higher is better, absent is 0. */
@FunctionalInterface
interface NodeScorer {

  Map<NodeAddress, Long> score(int unit, PageTableSnapshot table);

  /** By the tokens of the unit's pages that are resident there: what need not be computed again. */
  static NodeScorer residency() {
    return (unit, table) -> table.residentTokens(unit);
  }
}
