package dev.colony.vcm.table;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The page table at one moment. Immutable; made in time proportional to its pages, looked up in
 * constant time per page asked for.
 */
public final class PageTableSnapshot {

  public static final PageTableSnapshot EMPTY = new PageTableSnapshot(List.of(), List.of());

  private final SortedMap<ReplicaId, ReplicaResidency> replicas = new TreeMap<>();
  private final Map<PageGroupId, GroupAssignment> assignments = new HashMap<>();
  private final Map<PageId, SortedSet<ReplicaId>> holders = new HashMap<>();
  private final SortedMap<Integer, List<GroupAssignment>> units = new TreeMap<>();

  /** Of at most one residency per replica and one assignment per group. */
  public PageTableSnapshot(
      Collection<ReplicaResidency> replicas, Collection<GroupAssignment> assignments) {
    for (ReplicaResidency residency : replicas) {
      this.replicas.put(residency.replica(), residency);
      for (PageId page : residency.pages().keySet()) {
        holders.computeIfAbsent(page, key -> new TreeSet<>()).add(residency.replica());
      }
    }
    assignments.stream()
        .sorted(Comparator.comparing(GroupAssignment::group))
        .forEach(assignment -> {
          this.assignments.put(assignment.group(), assignment);
          units.computeIfAbsent(assignment.unit(), key -> new ArrayList<>()).add(assignment);
        });
  }

  /** Ordered by id. */
  public Collection<ReplicaResidency> replicas() {
    return Collections.unmodifiableCollection(replicas.values());
  }

  /** What a replica reported last; empty if it is unknown. */
  public Optional<ReplicaResidency> replica(ReplicaId id) {
    return Optional.ofNullable(replicas.get(id));
  }

  /** In no particular order. */
  public Collection<GroupAssignment> assignments() {
    return Collections.unmodifiableCollection(assignments.values());
  }

  /** Where a page is resident; empty means nowhere that is known. */
  public SortedSet<ReplicaId> replicasWith(PageId page) {
    return Collections.unmodifiableSortedSet(
        holders.getOrDefault(page, Collections.emptySortedSet()));
  }

  /** Whether a page is resident in a replica of this node. */
  public boolean resident(PageId page, NodeAddress node) {
    return replicasWith(page).stream().anyMatch(id -> replicas.get(id).node().equals(node));
  }

  /**
   * How many tokens of these pages are resident on each node; nodes without any are left out. A
   * page that several replicas of one node hold counts once.
   */
  public SortedMap<NodeAddress, Long> residentTokens(Collection<PageId> pages) {
    SortedMap<NodeAddress, Long> byNode = new TreeMap<>();
    for (PageId page : pages) {
      SortedMap<NodeAddress, Integer> once = new TreeMap<>();
      for (ReplicaId holder : replicasWith(page)) {
        ReplicaResidency residency = replicas.get(holder);
        once.merge(residency.node(), residency.pages().get(page), Math::max);
      }
      once.forEach((node, tokens) -> byNode.merge(node, (long) tokens, Long::sum));
    }
    return byNode;
  }

  /** The same of all pages of a unit's groups. */
  public SortedMap<NodeAddress, Long> residentTokens(int unit) {
    return residentTokens(
        groups(unit).stream().flatMap(assignment -> assignment.pages().stream()).toList());
  }

  /** The unit of a group; empty if it was not assigned yet. */
  public OptionalInt unit(PageGroupId group) {
    GroupAssignment assignment = assignments.get(group);
    return assignment == null ? OptionalInt.empty() : OptionalInt.of(assignment.unit());
  }

  /** A group with its pages; empty if it was not assigned yet. */
  public Optional<GroupAssignment> assignment(PageGroupId group) {
    return Optional.ofNullable(assignments.get(group));
  }

  /** The units that have groups. */
  public SortedSet<Integer> units() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(units.keySet()));
  }

  /** The groups of a unit, ordered by id. */
  public List<GroupAssignment> groups(int unit) {
    return Collections.unmodifiableList(units.getOrDefault(unit, List.of()));
  }

  /** How many tokens the groups of a unit have. */
  public long sizeTokens(int unit) {
    return groups(unit).stream().mapToLong(GroupAssignment::sizeTokens).sum();
  }
}
