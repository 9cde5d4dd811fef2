package dev.colony.vcm.table;

import dev.colony.vcm.PageGroupId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What one node has learnt of the page table so far. Thread-safe. A snapshot is made when it is
 * asked for and something has changed, so that a burst of changes costs one.
 */
final class TableState {

  private final Map<ReplicaId, ReplicaResidency> replicas = new HashMap<>();
  private final Map<ReplicaId, Long> withdrawn = new HashMap<>();
  private final Map<PageGroupId, GroupAssignment> assignments = new HashMap<>();
  private volatile PageTableSnapshot snapshot = PageTableSnapshot.EMPTY;

  PageTableSnapshot snapshot() {
    PageTableSnapshot current = snapshot;
    return current != null ? current : rebuild();
  }

  private synchronized PageTableSnapshot rebuild() {
    if (snapshot == null) {
      snapshot = new PageTableSnapshot(replicas.values(), assignments.values());
    }
    return snapshot;
  }

  /** Takes a report in, unless one of a later incarnation or a later one of the same was seen. */
  synchronized void add(ReplicaResidency residency) {
    ReplicaId id = residency.replica();
    ReplicaResidency seen = replicas.get(id);
    boolean outdated =
        seen != null && !residency.newerThan(seen)
            || residency.incarnation() < withdrawn.getOrDefault(id, Long.MIN_VALUE);
    if (!outdated) {
      replicas.put(id, residency);
      snapshot = null;
    }
  }

  /** Takes a replica out; what an older incarnation of it still reports stays out. */
  synchronized void withdraw(ReplicaId replica) {
    ReplicaResidency seen = replicas.remove(replica);
    if (seen != null) {
      withdrawn.put(replica, seen.incarnation());
      snapshot = null;
    }
  }

  /** Takes out all replicas but these. */
  synchronized void retain(Set<ReplicaId> stored) {
    if (replicas.keySet().retainAll(stored)) {
      snapshot = null;
    }
  }

  synchronized void add(GroupAssignment assignment) {
    if (!assignment.equals(assignments.put(assignment.group(), assignment))) {
      snapshot = null;
    }
  }
}
