package dev.colony.vcm.table;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.TableEntries.Observation;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one node has learnt of the page table so far. Thread-safe. A snapshot is made when it is
 * asked for and something has changed, so that a burst of changes costs one.
 */
final class TableState {

  private final Map<ReplicaId, ReplicaResidency> replicas = new HashMap<>();
  private final Map<ReplicaId, Long> withdrawn = new HashMap<>();
  private final Map<Observation, ObservedResidency> observed = new HashMap<>();
  private final Holders holders = new Holders();
  private final Map<PageGroupId, GroupAssignment> assignments = new HashMap<>();
  private final Map<NodeAddress, PageUses> uses = new HashMap<>();
  private final Map<String, HolderLeases> leases = new HashMap<>();
  private PageTableSnapshot residency = PageTableSnapshot.EMPTY;
  private volatile PageTableSnapshot snapshot = PageTableSnapshot.EMPTY;

  PageTableSnapshot snapshot() {
    PageTableSnapshot current = snapshot;
    return current != null ? current : rebuild();
  }

  private synchronized PageTableSnapshot rebuild() {
    if (snapshot == null) {
      if (residency == null) {
        residency =
            new PageTableSnapshot(replicas.values(), observed.values(), assignments.values());
      }
      snapshot = residency.with(uses.values(), leases.values());
    }
    return snapshot;
  }

  private void residencyChanged() {
    residency = null;
    snapshot = null;
  }

  /**
   * Takes a report in, unless one of a later incarnation or a later one of the same was seen; says
   * what that changed.
   */
  synchronized Optional<ResidencyChange> add(ReplicaResidency residency) {
    ReplicaId id = residency.replica();
    ReplicaResidency seen = replicas.get(id);
    boolean outdated =
        seen != null && !residency.newerThan(seen)
            || residency.incarnation() < withdrawn.getOrDefault(id, Long.MIN_VALUE);
    if (outdated) {
      return Optional.empty();
    }
    replicas.put(id, residency);
    residencyChanged();
    Set<PageId> before = seen == null ? Set.of() : seen.pages().keySet();
    return Optional.of(holders.replace(residency.node(), before, residency.pages().keySet()))
        .filter(change -> !change.none());
  }

  /** Takes in what a node has observed, unless something newer was seen; says what changed. */
  synchronized Optional<ResidencyChange> add(ObservedResidency report) {
    Observation key = new Observation(report.node(), report.replica());
    ObservedResidency seen = observed.get(key);
    if (seen != null && !report.newerThan(seen)) {
      return Optional.empty();
    }
    observed.put(key, report);
    residencyChanged();
    Set<PageId> before = seen == null ? Set.of() : seen.pages().keySet();
    return Optional.of(holders.replace(report.node(), before, report.pages().keySet()))
        .filter(change -> !change.none());
  }

  /** Takes out what a node has observed at a replica. */
  synchronized Optional<ResidencyChange> withdraw(Observation observation) {
    ObservedResidency seen = observed.remove(observation);
    if (seen == null) {
      return Optional.empty();
    }
    residencyChanged();
    return Optional.of(holders.replace(seen.node(), seen.pages().keySet(), Set.of()))
        .filter(change -> !change.none());
  }

  /** Takes out all observations but these. */
  synchronized List<ResidencyChange> retainObserved(Set<Observation> stored) {
    return observed.keySet().stream().filter(one -> !stored.contains(one)).toList().stream()
        .map(this::withdraw)
        .flatMap(Optional::stream)
        .toList();
  }

  /** Takes a replica out; what an older incarnation of it still reports stays out. */
  synchronized Optional<ResidencyChange> withdraw(ReplicaId replica) {
    ReplicaResidency seen = replicas.remove(replica);
    if (seen == null) {
      return Optional.empty();
    }
    withdrawn.put(replica, seen.incarnation());
    return Optional.of(forgotten(seen));
  }

  /** Takes out all replicas but these. */
  synchronized List<ResidencyChange> retain(Set<ReplicaId> stored) {
    List<ReplicaResidency> left =
        replicas.values().stream().filter(one -> !stored.contains(one.replica())).toList();
    left.forEach(one -> replicas.remove(one.replica()));
    return left.stream().map(this::forgotten).toList();
  }

  private ResidencyChange forgotten(ReplicaResidency seen) {
    residencyChanged();
    return holders.replace(seen.node(), seen.pages().keySet(), Set.of());
  }

  synchronized void add(GroupAssignment assignment) {
    if (!assignment.equals(assignments.put(assignment.group(), assignment))) {
      residencyChanged();
    }
  }

  /** Takes a report in, unless a newer one was seen. */
  synchronized void add(PageUses report) {
    PageUses seen = uses.get(report.node());
    if (seen == null || report.newerThan(seen)) {
      uses.put(report.node(), report);
      snapshot = null;
    }
  }

  /** Takes out what a node has said of its uses. */
  synchronized void withdrawUses(NodeAddress node) {
    if (uses.remove(node) != null) {
      snapshot = null;
    }
  }

  /** Takes in what a holder has, unless something later was seen. */
  synchronized void add(HolderLeases changed) {
    HolderLeases seen = leases.get(changed.holder());
    if (seen == null || changed.at().isAfter(seen.at())) {
      leases.put(changed.holder(), changed);
      snapshot = null;
    }
  }

  /**
   * Takes out what a holder has.
   *
   * @param at when it was deleted; what was changed later stays
   */
  synchronized void withdrawLeases(String holder, Instant at) {
    HolderLeases seen = leases.get(holder);
    if (seen != null && !seen.at().isAfter(at)) {
      leases.remove(holder);
      snapshot = null;
    }
  }

  /** Takes out the uses of all nodes but these, and the leases of all holders but these. */
  synchronized void retain(Set<NodeAddress> nodes, Set<String> holding) {
    uses.keySet().retainAll(nodes);
    leases.keySet().retainAll(holding);
    snapshot = null;
  }

  /** What a holder has; empty where it has nothing. */
  synchronized Optional<HolderLeases> leases(String holder) {
    return Optional.ofNullable(leases.get(holder));
  }

  /** How many replicas hold each page. Costs what a report has in pages. Not thread-safe. */
  private static final class Holders {

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
}
