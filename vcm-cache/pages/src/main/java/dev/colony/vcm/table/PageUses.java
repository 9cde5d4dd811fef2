package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one node's gateway does with pages in replicas' caches, its own and others'.
 *
 * @param incarnation grows with each start of the node
 * @param version grows with each report of one incarnation
 */
public record PageUses(
    NodeAddress node, long incarnation, long version, Map<ReplicaId, Map<PageId, Use>> replicas)
    implements NodeReport {

  /**
   * A page in one replica.
   *
   * @param readers calls under way that read it
   * @param loading those of them that have begun while it was in no cache there
   * @param evicting whether it was given up since it was last read
   * @param lastUse when a call that reads it last began or ended
   */
  public record Use(int readers, int loading, boolean evicting, Instant lastUse) {

    Use and(Use other) {
      return new Use(
          readers + other.readers,
          loading + other.loading,
          // A call that used the page after it was given up takes it back.
          lastUse.isAfter(other.lastUse) ? evicting : other.evicting,
          lastUse.isAfter(other.lastUse) ? lastUse : other.lastUse);
    }
  }

  public PageUses {
    Map<ReplicaId, Map<PageId, Use>> copy = new TreeMap<>();
    replicas.forEach((replica, uses) -> copy.put(replica, Map.copyOf(uses)));
    replicas = Map.copyOf(copy);
  }
}
