package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a rebalance remembers from one round to the next: which units' pages were elsewhere, and
 * which moves were made lately. Immutable. One that forgets it begins to watch anew, which delays
 * moves and does no harm.
 *
 * @param elsewhere by unit
 * @param moved when units were last sent after their pages, one time for each, the oldest first
 */
public record Drift(SortedMap<Integer, Sighting> elsewhere, List<Instant> moved) {

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
