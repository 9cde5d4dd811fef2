package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

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

  /**
   * What a rebalance remembers from one round to the next: which units' pages were elsewhere, and
   * which moves were made lately. Immutable. One that forgets it begins to watch anew, which delays
   * moves and does no harm.
   *
   * @param elsewhere by unit
   * @param moved when units were last sent after their pages, one time for each, the oldest first
   */
  record Drift(SortedMap<Integer, Sighting> elsewhere, List<Instant> moved) {

    /** Nothing was seen yet. */
    public static final Drift NONE = new Drift(Collections.emptySortedMap(), List.of());

    /**
     * That a unit's pages are on another node than the unit.
     *
     * @param since from when on they were seen there in each round
     */
    public record Sighting(NodeAddress where, Instant since) {}

    public Drift {
      elsewhere = Collections.unmodifiableSortedMap(new TreeMap<>(elsewhere));
      moved = List.copyOf(moved);
    }

    /** The same sighting as before if the pages are where they were then; otherwise a new one. */
    Sighting sighting(int unit, NodeAddress where, Instant now) {
      return Optional.ofNullable(elsewhere.get(unit))
          .filter(before -> before.where().equals(where))
          .orElseGet(() -> new Sighting(where, now));
    }
  }

  /**
   * One round of rebalancing.
   *
   * @param moves the units that shall move and where to, few at a time; empty means that all is
   *     well
   * @param drift what the next round has to be told
   */
  record Rebalance(SortedMap<Integer, NodeAddress> moves, Drift drift) {

    /** Nothing moves, and nothing is to be remembered. */
    static final Rebalance NONE = new Rebalance(Collections.emptySortedMap(), Drift.NONE);

    public Rebalance {
      moves = Collections.unmodifiableSortedMap(new TreeMap<>(moves));
    }
  }

  /**
   * An agent that lives in a unit, and may move to another.
   *
   * @param unit where it lives
   * @param pages the group that it lives with, if any
   * @param bound whether it lives nowhere else than with the group
   * @param key spreads agents that are otherwise alike
   */
  record PlacementRequest(int unit, Optional<PageGroupId> pages, boolean bound, int key) {}
}
