package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.PageUses.Use;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Counts what a node's gateway reads in replicas' caches. Of pages that no call reads only the last
 * uses are kept, up to a bound. Pure but for its state; thread-safe.
 */
public final class PageUseTracker {

  private record Place(ReplicaId replica, PageId page) {}

  private final NodeAddress node;
  private final long incarnation;
  private final int most;

  // Guarded by this; the one that was used longest ago first.
  private final Map<Place, Use> uses = new LinkedHashMap<>();
  private long version;

  /**
   * @param incarnation greater than that of any tracker of the node before this one
   * @param most pages told of, beside those that are being read
   */
  public PageUseTracker(NodeAddress node, long incarnation, int most) {
    this.node = node;
    this.incarnation = incarnation;
    this.most = most;
  }

  /** A call that reads these pages has been sent; each to be followed by {@link #ended}. */
  public synchronized void began(
      ReplicaId replica, Collection<PageId> pages, Predicate<PageId> resident, Instant now) {
    for (PageId page : pages) {
      Use before = take(replica, page, now);
      put(
          replica,
          page,
          new Use(
              before.readers() + 1, before.loading() + (resident.test(page) ? 0 : 1), false, now));
    }
  }

  /** Such a call has ended, whatever came of it. */
  public synchronized void ended(ReplicaId replica, Collection<PageId> pages, Instant now) {
    for (PageId page : pages) {
      Use before = take(replica, page, now);
      int readers = Math.max(0, before.readers() - 1);
      put(replica, page, new Use(readers, Math.min(readers, before.loading()), false, now));
    }
    forget();
  }

  /** Pages are given up; until a call uses them they are evicted before others. */
  public synchronized void evicting(ReplicaId replica, Collection<PageId> pages, Instant now) {
    for (PageId page : pages) {
      Use before = take(replica, page, now);
      put(replica, page, new Use(before.readers(), before.loading(), true, now));
    }
    forget();
  }

  private Use take(ReplicaId replica, PageId page, Instant now) {
    Use known = uses.remove(new Place(replica, page));
    return known == null ? new Use(0, 0, false, now) : known;
  }

  private void put(ReplicaId replica, PageId page, Use use) {
    uses.put(new Place(replica, page), use);
  }

  private void forget() {
    int over = uses.size() - most;
    if (over > 0) {
      List<Place> oldest =
          uses.entrySet().stream()
              .filter(one -> one.getValue().readers() == 0)
              .map(Map.Entry::getKey)
              .limit(over)
              .toList();
      oldest.forEach(uses::remove);
    }
  }

  /** All of it, newer than any report before. */
  public synchronized PageUses report() {
    Map<ReplicaId, Map<PageId, Use>> byReplica = new HashMap<>();
    uses.forEach((place, use) ->
        byReplica.computeIfAbsent(place.replica(), key -> new HashMap<>()).put(place.page(), use));
    return new PageUses(node, incarnation, ++version, byReplica);
  }
}
