package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is different between a page table and an earlier one. */
public sealed interface TableChange {

  /** The page that it is about. */
  PageId page();

  /** A change of a lock. */
  sealed interface OfLock extends TableChange {
    PageLock lock();

    @Override
    default PageId page() {
      return lock().page();
    }
  }

  /** A change of what is asked for. */
  sealed interface OfFault extends TableChange {
    PendingFault fault();

    @Override
    default PageId page() {
      return fault().page();
    }
  }

  /** A page stands otherwise in a replica. */
  record Moved(PageId page, ReplicaId replica, PageState from, PageState to)
      implements TableChange {}

  /** A holder has locked a page, or has extended its lock. */
  record Locked(PageLock lock) implements OfLock {}

  /** A lock has ended or was taken back. */
  record Unlocked(PageLock lock) implements OfLock {}

  /** A page is asked for and in no cache. */
  record Faulted(PendingFault fault) implements OfFault {}

  /** A page that was asked for has come into a cache, or is asked for no more. */
  record FaultEnded(PendingFault fault) implements OfFault {}

  /**
   * All changes: of residency, by replica and page, then of locks, then of faults. Takes time
   * proportional to both tables.
   *
   * @param then for which the earlier one holds
   */
  static List<TableChange> between(
      PageTableSnapshot before, Instant then, PageTableSnapshot after, Instant now) {
    List<TableChange> changes = new ArrayList<>();
    Set<ReplicaId> replicas = before.ids();
    replicas.addAll(after.ids());
    for (ReplicaId replica : replicas) {
      Map<PageId, PageState> old = states(before, replica, then);
      Map<PageId, PageState> fresh = states(after, replica, now);
      Set<PageId> pages = new TreeSet<>(old.keySet());
      pages.addAll(fresh.keySet());
      for (PageId page : pages) {
        PageState from = old.getOrDefault(page, PageState.ABSENT);
        PageState to = fresh.getOrDefault(page, PageState.ABSENT);
        if (from != to) {
          changes.add(new Moved(page, replica, from, to));
        }
      }
    }
    List<PageLock> held = before.locks(then);
    List<PageLock> holds = after.locks(now);
    Set<PageLock> had = new HashSet<>(held);
    holds.stream().filter(lock -> !had.contains(lock)).map(Locked::new).forEach(changes::add);
    Set<Map.Entry<String, PageId>> kept = new HashSet<>();
    holds.forEach(lock -> kept.add(Map.entry(lock.holder(), lock.page())));
    held.stream()
        .filter(lock -> !kept.contains(Map.entry(lock.holder(), lock.page())))
        .map(Unlocked::new)
        .forEach(changes::add);
    Map<PageId, PendingFault> waited = faults(before, then);
    Map<PageId, PendingFault> waits = faults(after, now);
    waits.values().stream()
        .filter(fault -> !waited.containsKey(fault.page()))
        .map(Faulted::new)
        .forEach(changes::add);
    waited.values().stream()
        .filter(fault -> !waits.containsKey(fault.page()))
        .map(FaultEnded::new)
        .forEach(changes::add);
    return changes;
  }

  private static Map<PageId, PageState> states(
      PageTableSnapshot table, ReplicaId replica, Instant at) {
    Map<PageId, PageState> states = new HashMap<>();
    table.entries(replica, at).forEach(entry -> states.put(entry.page(), entry.state()));
    return states;
  }

  private static Map<PageId, PendingFault> faults(PageTableSnapshot table, Instant at) {
    Map<PageId, PendingFault> faults = new TreeMap<>();
    table.faults(at).forEach(fault -> faults.put(fault.page(), fault));
    return faults;
  }
}
