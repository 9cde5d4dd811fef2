package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.util.Map;

/**
 * The pages that a node's gateway knows to be in a replica's cache by what the replica publishes of
 * it. Each gateway knows its own prompts' pages, so that what a replica holds is what all nodes
 * have observed there together, with what the replica's own node reports.
 *
 * @param node whose gateway it is
 * @param replica any that it calls; one that is a server of no node is known by this alone
 * @param incarnation grows with each start of the node
 * @param version grows with each report of one incarnation
 * @param pages tokens of each page
 */
public record ObservedResidency(
    NodeAddress node, ReplicaId replica, long incarnation, long version, Map<PageId, Integer> pages)
    implements NodeReport {

  public ObservedResidency {
    pages = Map.copyOf(pages);
  }
}
