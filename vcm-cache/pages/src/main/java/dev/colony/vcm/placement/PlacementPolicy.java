package dev.colony.vcm.placement;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Instant;
import java.util.Collection;
import java.util.OptionalInt;
import java.util.SortedMap;

/** Where groups and units go. Pure: equal arguments, equal answer, on every node. */
public interface PlacementPolicy {

  /** The unit of each of these groups, none of which has one yet. */
  SortedMap<PageGroupId, Integer> assign(
      Collection<PageGroup> groups, PageTableSnapshot table, ClusterView cluster);

  /**
   * The node that a unit goes to.
   *
   * @throws IllegalArgumentException if the cluster has no nodes
   */
  NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster);

  /**
   * Which units shall move: away from a node that is too full, or after their pages.
   *
   * @param drift what the last round left; {@link Drift#NONE} in the first
   * @param now by one clock for all rounds; one that jumps delays moves or hastens them
   */
  Rebalance rebalance(PageTableSnapshot table, ClusterView cluster, Drift drift, Instant now);

  /**
   * The unit in which an agent had better live that is about to go on; empty if it may stay.
   *
   * @param cluster as far as it is known; no agent moves to a node without units
   */
  OptionalInt home(PlacementRequest request, PageTableSnapshot table, ClusterView cluster);

  /** The unit of a node in which an agent is to live; empty if it does, or if the node has none. */
  OptionalInt homeOn(
      NodeAddress node, PlacementRequest request, PageTableSnapshot table, ClusterView cluster);

  /**
   * The policy that the settings choose.
   *
   * @param units how many there are, the same on all nodes
   */
  static PlacementPolicy of(PlacementSettings settings, int units) {
    return switch (settings.policy()) {
      case AFFINITY -> new AffinityPolicy(settings, units);
      case RANDOM -> new RandomPlacer(settings.randomSeed(), units);
    };
  }
}
