package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a node says of itself and of what it calls, whole each time: the newest one counts. */
public sealed interface NodeReport {

  /** Grows with each start of what is told of. */
  long incarnation();

  /** Grows with each report of one incarnation. */
  long version();

  /** Whether this one replaces the other: a later incarnation, or a later report of the same. */
  default boolean newerThan(NodeReport other) {
    return incarnation() != other.incarnation()
        ? incarnation() > other.incarnation()
        : version() > other.version();
  }

  /**
   * The pages that a node's gateway knows to be in a replica's cache by what the replica publishes
   * of it. Each gateway knows its own prompts' pages, so that what a replica holds is what all
   * nodes have observed there together, with what the replica's own node reports.
   *
   * @param node whose gateway it is
   * @param replica any that it calls; one that is a server of no node is known by this alone
   * @param incarnation grows with each start of the node
   * @param version grows with each report of one incarnation
   * @param pages tokens of each page
   */
  record ObservedResidency(
      NodeAddress node,
      ReplicaId replica,
      long incarnation,
      long version,
      Map<PageId, Integer> pages)
      implements NodeReport {

    public ObservedResidency {
      pages = Map.copyOf(pages);
    }
  }

  /**
   * What one node's gateway does with pages in replicas' caches, its own and others'.
   *
   * @param incarnation grows with each start of the node
   * @param version grows with each report of one incarnation
   */
  record PageUses(
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

  /**
   * All pages that are resident in one replica's cache at one time.
   *
   * @param node the cluster node that the replica belongs to
   * @param baseUri where the replica answers model calls; nodes that share a server report the same
   * @param incarnation grows with each start of the replica, for example the time of its start
   * @param version grows with each report of one incarnation
   * @param pages resident tokens of each resident page
   */
  record ReplicaResidency(
      ReplicaId replica,
      NodeAddress node,
      URI baseUri,
      long incarnation,
      long version,
      Map<PageId, Integer> pages)
      implements NodeReport {

    public ReplicaResidency {
      pages = Map.copyOf(pages);
    }

    /** With the pages that others know to be there, too. */
    ReplicaResidency and(Map<PageId, Integer> others) {
      Map<PageId, Integer> all = new HashMap<>(others);
      all.putAll(pages);
      return new ReplicaResidency(replica, node, baseUri, incarnation, version, all);
    }
  }
}
