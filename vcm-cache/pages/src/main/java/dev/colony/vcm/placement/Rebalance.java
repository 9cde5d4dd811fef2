package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One round of rebalancing.
 *
 * @param moves the units that shall move and where to, few at a time; empty means that all is well
 * @param drift what the next round has to be told
 */
public record Rebalance(SortedMap<Integer, NodeAddress> moves, Drift drift) {

  /** Nothing moves, and nothing is to be remembered. */
  static final Rebalance NONE = new Rebalance(Collections.emptySortedMap(), Drift.NONE);

  public Rebalance {
    moves = Collections.unmodifiableSortedMap(new TreeMap<>(moves));
  }
}
