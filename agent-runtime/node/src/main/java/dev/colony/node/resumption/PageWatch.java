package dev.colony.node.resumption;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.GroupAssignment;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Watches the page table for the bound agents that are in memory here. Driven by the table's
 * changes: a change costs as much as it has pages and the agents that are bound to them.
 *
 * <p>Agents whose pages push each other out of the caches would be suspended before any of them has
 * got on. So each has a least time here, as a process is kept from being swapped out right after it
 * was swapped in; what goes meanwhile is looked at when it is over, and may be back by then.
 */
public final class PageWatch implements BoundPages, AutoCloseable {

  /** How long an agent is left alone after it has come into memory, whatever goes. */
  private static final Duration LEAST_STAY = Duration.ofSeconds(5);

  private final PageTable table;
  private final NodeAddress self;
  private final Duration leastStay;
  private final Later later;
  private final InstantSource clock;
  private final PageTable.Listening subscription;
  private final List<Consumer<Set<PageId>>> arrivals = new CopyOnWriteArrayList<>();

  // Guarded by this.
  private final Map<PageGroupId, Set<Bound>> bound = new HashMap<>();
  private final Map<PageId, Set<PageGroupId>> groups = new HashMap<>();
  private final Set<PageGroupId> unassigned = new HashSet<>();

  /** Runs something after a time, on any thread; what cannot be run any more is passed over. */
  @FunctionalInterface
  public interface Later {
    void run(Duration delay, Runnable task);
  }

  private static final class Bound {
    private final PageGroupId group;
    private final Consumer<List<PageId>> gone;
    private final Instant since;
    private boolean looking;

    Bound(PageGroupId group, Consumer<List<PageId>> gone, Instant since) {
      this.group = group;
      this.gone = gone;
      this.since = since;
    }
  }

  /**
   * Begins to watch.
   *
   * @param self whose replica's pages are told of as they arrive
   */
  public PageWatch(PageTable table, NodeAddress self, Later later, InstantSource clock) {
    this(table, self, LEAST_STAY, later, clock);
  }

  PageWatch(
      PageTable table, NodeAddress self, Duration leastStay, Later later, InstantSource clock) {
    this.table = table;
    this.self = self;
    this.leastStay = leastStay;
    this.later = later;
    this.clock = clock;
    this.subscription = table.onChange(this::changed);
  }

  @Override
  public synchronized Binding bind(PageGroupId group, Consumer<List<PageId>> gone) {
    Bound one = new Bound(group, gone, clock.instant());
    boolean first = !bound.containsKey(group);
    bound.computeIfAbsent(group, key -> new HashSet<>()).add(one);
    if (first && !index(group, table.snapshot())) {
      unassigned.add(group);
    }
    return () -> unbind(one);
  }

  private synchronized void unbind(Bound one) {
    Set<Bound> left = bound.get(one.group);
    if (left != null && left.remove(one) && left.isEmpty()) {
      bound.remove(one.group);
      unassigned.remove(one.group);
      pages(one.group, table.snapshot())
          .forEach(page ->
              groups.computeIfPresent(
                  page,
                  (key, of) -> {
                    of.remove(one.group);
                    return of.isEmpty() ? null : of;
                  }));
    }
  }

  /** False if it is not known yet which pages the group has. */
  private boolean index(PageGroupId group, PageTableSnapshot known) {
    List<PageId> pages = pages(group, known);
    pages.forEach(page -> groups.computeIfAbsent(page, key -> new HashSet<>()).add(group));
    return !pages.isEmpty();
  }

  private static List<PageId> pages(PageGroupId group, PageTableSnapshot known) {
    return known.assignment(group).map(GroupAssignment::pages).orElse(List.of());
  }

  @Override
  public Optional<List<PageId>> missing(PageGroupId group) {
    PageTableSnapshot known = table.snapshot();
    Set<Set<PageId>> caches = new HashSet<>();
    known.ids().forEach(replica -> caches.add(known.pages(replica).keySet()));
    return known
        .assignment(group)
        .filter(assigned -> !assigned.resident(caches))
        .map(GroupAssignment::pages);
  }

  @Override
  public Binding onArrival(Consumer<Set<PageId>> came) {
    arrivals.add(came);
    return () -> arrivals.remove(came);
  }

  private void changed(ResidencyChange change) {
    if (!change.came().isEmpty() && change.node().equals(self)) {
      arrivals.forEach(listener -> listener.accept(change.came()));
    }
    if (!change.gone().isEmpty()) {
      went(change.gone());
    }
  }

  private synchronized void went(Set<PageId> pages) {
    if (!unassigned.isEmpty()) {
      PageTableSnapshot known = table.snapshot();
      unassigned.removeIf(group -> index(group, known));
    }
    Set<PageGroupId> affected = new HashSet<>();
    pages.forEach(page -> affected.addAll(groups.getOrDefault(page, Set.of())));
    Instant now = clock.instant();
    for (PageGroupId group : affected) {
      for (Bound one : bound.get(group)) {
        Duration left = Duration.between(now, one.since.plus(leastStay));
        if (!left.isPositive()) {
          one.gone.accept(pages(group, table.snapshot()));
        } else if (!one.looking) {
          one.looking = true;
          later.run(left, () -> look(one));
        }
      }
    }
  }

  private synchronized void look(Bound one) {
    one.looking = false;
    if (bound.getOrDefault(one.group, Set.of()).contains(one)) {
      missing(one.group).ifPresent(one.gone);
    }
  }

  /** Listeners are told of nothing any more. */
  @Override
  public void close() {
    subscription.close();
  }
}
