package dev.colony.vcm.table;

import dev.colony.vcm.table.AffinityPolicy.UnitPlacer;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import dev.colony.vcm.table.PlacementPolicy.Rebalance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Sends units after their pages. Caches change all the time, and a move costs every agent of the
 * unit a recovery; so a unit goes only where its pages have been in each round for a while, where
 * clearly more of them are than at home, and where the placer would put it today, so that the bound
 * on a node's load holds and the move is not taken back. Calls go where pages are resident, so that
 * the pages of a unit that has followed them stay.
 */
final class StickyPlacement {

  private final PlacementSettings.Follow settings;
  private final UnitPlacer placer;

  StickyPlacement(PlacementSettings.Follow settings, UnitPlacer placer) {
    this.settings = settings;
    this.placer = placer;
  }

  /**
   * The units to move now, those that gain most first, at most as many as the interval has left.
   *
   * @param cluster as it will be when what else moves has moved
   */
  Rebalance follow(PageTableSnapshot table, ClusterView cluster, Drift before, Instant now) {
    SortedMap<Integer, Drift.Sighting> elsewhere = new TreeMap<>();
    for (int unit : cluster.units().keySet()) {
      better(unit, table, cluster)
          .ifPresent(where -> elsewhere.put(unit, before.sighting(unit, where, now)));
    }
    List<Instant> moved =
        new ArrayList<>(
            before.moved().stream()
                .filter(at -> at.plus(settings.interval()).isAfter(now))
                .toList());
    SortedMap<Integer, NodeAddress> moves = new TreeMap<>();
    ClusterView view = cluster;
    for (int unit : due(elsewhere, table, cluster, now)) {
      NodeAddress where = elsewhere.get(unit).where();
      // Those that moved before it may have taken the room.
      boolean still = better(unit, table, view).equals(Optional.of(where));
      if (moved.size() < settings.moves() && still) {
        moves.put(unit, where);
        moved.add(now);
        elsewhere.remove(unit);
        view = view.with(unit, where);
      }
    }
    return new Rebalance(moves, new Drift(elsewhere, moved));
  }

  private List<Integer> due(
      SortedMap<Integer, Drift.Sighting> elsewhere,
      PageTableSnapshot table,
      ClusterView cluster,
      Instant now) {
    return elsewhere.entrySet().stream()
        .filter(seen -> !seen.getValue().since().plus(settings.after()).isAfter(now))
        .sorted(
            Comparator.<Map.Entry<Integer, Drift.Sighting>>comparingLong(seen ->
                    -gain(
                        table.residentTokens(seen.getKey()),
                        cluster.units().get(seen.getKey()),
                        seen.getValue().where()))
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Where a unit would be clearly nearer to its pages. */
  private Optional<NodeAddress> better(int unit, PageTableSnapshot table, ClusterView cluster) {
    NodeAddress here = cluster.units().get(unit);
    SortedMap<NodeAddress, Long> resident = table.residentTokens(unit);
    double least = Math.max(1, settings.margin() * table.sizeTokens(unit));
    boolean anywhere =
        cluster.nodes().stream().anyMatch(node -> gain(resident, here, node) >= least);
    return anywhere
        ? Optional.of(placer.place(unit, table, cluster.without(unit)))
            .filter(node -> gain(resident, here, node) >= least)
        : Optional.empty();
  }

  private static long gain(Map<NodeAddress, Long> resident, NodeAddress here, NodeAddress there) {
    return resident.getOrDefault(there, 0L) - resident.getOrDefault(here, 0L);
  }
}
