package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How many replicas hold each page. Costs what a report has in pages. Not thread-safe. */
final class Holders {

  private final Map<PageId, Integer> counts = new HashMap<>();

  /** A replica of this node held these pages and now holds those. */
  ResidencyChange replace(NodeAddress node, Set<PageId> before, Set<PageId> after) {
    Set<PageId> came = new HashSet<>();
    Set<PageId> gone = new HashSet<>();
    for (PageId page : after) {
      if (!before.contains(page) && counts.merge(page, 1, Integer::sum) == 1) {
        came.add(page);
      }
    }
    for (PageId page : before) {
      if (!after.contains(page) && counts.merge(page, -1, Holders::sumOrNone) == null) {
        gone.add(page);
      }
    }
    return new ResidencyChange(node, came, gone);
  }

  private static Integer sumOrNone(int count, int change) {
    return count + change == 0 ? null : Integer.valueOf(count + change);
  }
}
