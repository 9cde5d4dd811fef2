package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.util.Set;

/**
 * What one piece of news about a replica changed for all replicas together.
 *
 * @param node whose replica it was; all pages may have stayed in the caches of others
 * @param came pages that are in a cache now and were in none
 * @param gone pages that were in a cache and are in none now
 */
public record ResidencyChange(NodeAddress node, Set<PageId> came, Set<PageId> gone) {

  public ResidencyChange {
    came = Set.copyOf(came);
    gone = Set.copyOf(gone);
  }

  boolean none() {
    return came.isEmpty() && gone.isEmpty();
  }
}
