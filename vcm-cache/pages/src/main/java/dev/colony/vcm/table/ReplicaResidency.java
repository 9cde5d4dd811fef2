package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/**
 * All pages that are resident in one replica's cache at one time.
 *
 * @param node the cluster node that the replica belongs to
 * @param baseUri where the replica answers model calls; nodes that share a server report the same
 * @param incarnation grows with each start of the replica, for example the time of its start
 * @param version grows with each report of one incarnation
 * @param pages resident tokens of each resident page
 */
public record ReplicaResidency(
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
