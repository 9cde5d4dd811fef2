package dev.colony.vcm.table;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageLeases.PageRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  private final SortedMap<ReplicaId, ReplicaResidency> replicas;
  private final SortedMap<ReplicaId, Map<PageId, Integer>> servers;
  private final Map<PageGroupId, GroupAssignment> assignments;
  private final Map<PageId, SortedSet<ReplicaId>> holders;
  private final SortedMap<Integer, List<GroupAssignment>> units;
  private final List<PageUses> uses;
  private final List<HolderLeases> leases;

  /** Of at most one residency per replica and one assignment per group; without any lease. */
  public PageTableSnapshot(
      Collection<ReplicaResidency> replicas, Collection<GroupAssignment> assignments) {
    this(replicas, List.of(), assignments);
  }

  /**
   * Of at most one residency per replica, one observation per node and replica, and one assignment
   * per group; without any lease.
   */
  public PageTableSnapshot(
      Collection<ReplicaResidency> replicas,
      Collection<ObservedResidency> observed,
      Collection<GroupAssignment> assignments) {
    this.replicas = new TreeMap<>();
    this.servers = new TreeMap<>();
    this.assignments = new HashMap<>();
    this.holders = new HashMap<>();
    this.units = new TreeMap<>();
    this.uses = List.of();
    this.leases = List.of();
    replicas.forEach(residency -> this.replicas.put(residency.replica(), residency));
    for (ObservedResidency one : observed) {
      if (this.replicas.containsKey(one.replica())) {
        this.replicas.computeIfPresent(one.replica(), (id, known) -> known.and(one.pages()));
      } else {
        servers.computeIfAbsent(one.replica(), id -> new HashMap<>()).putAll(one.pages());
      }
    }
    this.replicas.forEach((id, one) -> one.pages().keySet().forEach(page -> held(page, id)));
    servers.forEach((id, pages) -> pages.keySet().forEach(page -> held(page, id)));
    assignments.stream()
        .sorted(Comparator.comparing(GroupAssignment::group))
        .forEach(assignment -> {
          this.assignments.put(assignment.group(), assignment);
          units.computeIfAbsent(assignment.unit(), key -> new ArrayList<>()).add(assignment);
        });
  }

  private void held(PageId page, ReplicaId replica) {
    holders.computeIfAbsent(page, key -> new TreeSet<>()).add(replica);
  }

  private PageTableSnapshot(
      PageTableSnapshot residency, Collection<PageUses> uses, Collection<HolderLeases> leases) {
    this.replicas = residency.replicas;
    this.servers = residency.servers;
    this.assignments = residency.assignments;
    this.holders = residency.holders;
    this.units = residency.units;
    this.uses = List.copyOf(uses);
    this.leases = leases.stream().sorted(Comparator.comparing(HolderLeases::holder)).toList();
  }

  /**
   * The same with other uses and leases. Costs what these come to.
   *
   * @param uses one per node
   * @param leases one per holder
   */
  public PageTableSnapshot with(Collection<PageUses> uses, Collection<HolderLeases> leases) {
    return new PageTableSnapshot(this, uses, leases);
  }

  /** The page as it stands in a replica. Costs the number of nodes and holders. */
  public PageEntry entry(ReplicaId replica, PageId page, Instant now) {
    return entry(replica, page, lockedUntil(page, now));
  }

  private PageEntry entry(ReplicaId replica, PageId page, Optional<Instant> lockedUntil) {
    Integer tokens = pages(replica).get(page);
    boolean there = tokens != null;
    Optional<PageUses.Use> use =
        uses.stream()
            .map(node -> node.replicas().getOrDefault(replica, Map.of()).get(page))
            .filter(Objects::nonNull)
            .reduce(PageUses.Use::and);
    int readers = use.map(PageUses.Use::readers).orElse(0);
    boolean given = use.filter(PageUses.Use::evicting).isPresent();
    PageState state;
    if (there) {
      boolean kept = readers > 0 || lockedUntil.isPresent();
      state = given && !kept ? PageState.EVICTING : PageState.RESIDENT;
    } else {
      state =
          use.filter(one -> one.loading() > 0).isPresent() ? PageState.LOADING : PageState.ABSENT;
    }
    return new PageEntry(
        page,
        replica,
        state,
        there ? tokens : 0,
        readers,
        use.map(PageUses.Use::lastUse),
        lockedUntil);
  }

  /** The pages of a replica that are not absent, by id; none of one that is unknown. */
  public List<PageEntry> entries(ReplicaId replica, Instant now) {
    SortedSet<PageId> pages = new TreeSet<>();
    pages.addAll(pages(replica).keySet());
    uses.forEach(node -> pages.addAll(node.replicas().getOrDefault(replica, Map.of()).keySet()));
    Map<PageId, Instant> locked = lockedUntil(now);
    return pages.stream()
        .map(page -> entry(replica, page, Optional.ofNullable(locked.get(page))))
        .filter(entry -> entry.state() != PageState.ABSENT)
        .toList();
  }

  /**
   * Which pages of a replica go first where room is needed: those given up, then those used longest
   * ago, until that many tokens are found. A page that is locked, or that a call reads, is never
   * among them.
   *
   * @return pages of fewer tokens where no more may go
   */
  public List<PageEntry> victims(ReplicaId replica, long tokens, Instant now) {
    List<PageEntry> order =
        entries(replica, now).stream()
            .filter(PageEntry::evictable)
            .sorted(
                Comparator.<PageEntry, Boolean>comparing(
                        entry -> entry.state() != PageState.EVICTING)
                    .thenComparing(PageEntry.LEAST_RECENTLY_USED))
            .toList();
    List<PageEntry> victims = new ArrayList<>();
    long found = 0;
    for (PageEntry entry : order) {
      if (found >= tokens) {
        break;
      }
      victims.add(entry);
      found += entry.tokens();
    }
    return victims;
  }

  /** All locks that hold then, by holder and page. */
  public List<PageLock> locks(Instant now) {
    return leases.stream()
        .map(one -> one.at(now))
        .map(HolderLeases::pageLocks)
        .flatMap(List::stream)
        .toList();
  }

  /** When the last lock of a page ends; empty where none holds it then. */
  public Optional<Instant> lockedUntil(PageId page, Instant now) {
    return leases.stream()
        .map(one -> one.locks().get(page))
        .filter(until -> until != null && until.isAfter(now))
        .max(Comparator.naturalOrder());
  }

  private Map<PageId, Instant> lockedUntil(Instant now) {
    Map<PageId, Instant> locked = new HashMap<>();
    locks(now)
        .forEach(lock ->
            locked.merge(
                lock.page(), lock.until(), (one, other) -> one.isAfter(other) ? one : other));
    return locked;
  }

  /** The pages that are asked for and in no cache, in the order in which they are to be loaded. */
  public List<PendingFault> faults(Instant now) {
    Map<PageId, PendingFault> faults = new HashMap<>();
    for (HolderLeases one : leases) {
      for (PageRequest request : one.at(now).requests().values()) {
        if (replicasWith(request.page()).isEmpty()) {
          faults.merge(request.page(), PendingFault.of(request), PendingFault::and);
        }
      }
    }
    return faults.values().stream().sorted(PendingFault.ORDER).toList();
  }

  /** Those that belong to nodes, ordered by id. */
  public Collection<ReplicaResidency> replicas() {
    return Collections.unmodifiableCollection(replicas.values());
  }

  /**
   * The ids of all replicas that are known: of those that belong to nodes, and of listed servers
   * that publish what they hold. In their order.
   */
  public SortedSet<ReplicaId> ids() {
    SortedSet<ReplicaId> ids = new TreeSet<>(replicas.keySet());
    ids.addAll(servers.keySet());
    return ids;
  }

  /** Whether a replica is known, a node's or another. */
  public boolean knows(ReplicaId id) {
    return replicas.containsKey(id) || servers.containsKey(id);
  }

  /** The tokens of each page that is resident in a replica; none in one that is unknown. */
  public Map<PageId, Integer> pages(ReplicaId id) {
    ReplicaResidency residency = replicas.get(id);
    return Collections.unmodifiableMap(
        residency != null ? residency.pages() : servers.getOrDefault(id, Map.of()));
  }

  /** What a node's replica holds; empty if it is unknown, or belongs to no node. */
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
    return replicasWith(page).stream()
        .map(replicas::get)
        .anyMatch(one -> one != null && one.node().equals(node));
  }

  /**
   * How many tokens of these pages are resident on each node; nodes without any are left out. A
   * page that several replicas of one node hold counts once, and one that is only in servers of no
   * node does not count.
   */
  public SortedMap<NodeAddress, Long> residentTokens(Collection<PageId> pages) {
    SortedMap<NodeAddress, Long> byNode = new TreeMap<>();
    for (PageId page : pages) {
      SortedMap<NodeAddress, Integer> once = new TreeMap<>();
      for (ReplicaId holder : replicasWith(page)) {
        replica(holder).ifPresent(one -> once.merge(one.node(), one.pages().get(page), Math::max));
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

  /**
   * A page that is asked for and is in no cache.
   *
   * @param priority the highest of those that ask
   * @param since when the first of them asked
   * @param waiters who asks
   */
  public record PendingFault(PageId page, int priority, Instant since, SortedSet<String> waiters) {

    /** The highest priority first, of equal ones the oldest. */
    public static final Comparator<PendingFault> ORDER =
        Comparator.comparingInt(PendingFault::priority)
            .reversed()
            .thenComparing(PendingFault::since)
            .thenComparing(PendingFault::page);

    public PendingFault {
      waiters = new TreeSet<>(waiters);
    }

    static PendingFault of(PageRequest request) {
      TreeSet<String> waiters = new TreeSet<>();
      waiters.add(request.holder());
      return new PendingFault(request.page(), request.priority(), request.since(), waiters);
    }

    PendingFault and(PendingFault other) {
      TreeSet<String> all = new TreeSet<>(waiters);
      all.addAll(other.waiters);
      return new PendingFault(
          page,
          Math.max(priority, other.priority),
          since.isBefore(other.since) ? since : other.since,
          all);
    }

    /** How long it has been, not below zero. */
    public Duration age(Instant now) {
      return now.isAfter(since) ? Duration.between(since, now) : Duration.ZERO;
    }
  }
}
