package dev.colony.vcm.table;

import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTable.UnitChoice;
import dev.colony.vcm.table.TableEntries.Observation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page table in a scope of the blackboard that all nodes share: one entry per replica, with
 * what is resident there, written by its node; one per node and replica that publishes what happens
 * in its cache, with what the node's gateway knows of it; one per node, with what its gateway
 * reads; one per holder of {@linkplain PageLeases leases}; and one per group, written once. Each
 * node subscribes and keeps a copy.
 *
 * <p>A replica's entry holds the full list of its pages (40 bytes a page), so a lost report is made
 * good by the next. The copy follows what is stored, this node's own reports included, and lags by
 * the debounce and the time an event takes; where events were lost, by {@code refresh}. An entry
 * that the store has lost, and that was not deleted, is stored again within two of {@code refresh}
 * by the node that has written it, and with it all groups. Close it to stop listening; entries
 * stay, so a node withdraws its replicas first.
 */
public final class BlackboardPageTable implements PageTable {

  /** Where all nodes keep it. */
  public static final Scope SCOPE = Scope.tenant("system").namespace("page-table");

  private static final Logger LOG = LoggerFactory.getLogger(BlackboardPageTable.class);

  /** What a node that has died has said of what it calls is forgotten after so many refreshes. */
  private static final int KEPT = 3;

  private final Blackboard board;
  private final TableSettings settings;
  private final TableState state = new TableState();
  private final ScheduledExecutorService timer;
  private final Map<String, ReportPublisher> publishers = new ConcurrentHashMap<>();
  private final Set<String> holders = ConcurrentHashMap.newKeySet();
  private final List<Consumer<ResidencyChange>> listeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> updates = new CopyOnWriteArrayList<>();
  private final PageLeases leases;
  private final TableSubscription subscription;

  /**
   * Starts to listen.
   *
   * @param writer who this node's entries are attributed to
   */
  public BlackboardPageTable(Blackboards blackboards, String writer, TableSettings settings) {
    this.board = blackboards.open(SCOPE, writer);
    this.settings = settings;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("page-table").factory());
    this.leases = new PageLeases(board, settings.leases(), this::leased);
    this.subscription = new TableSubscription(board, state, settings, timer, new News());
    subscription.start();
    long refresh = settings.refresh().toMillis();
    timer.scheduleWithFixedDelay(subscription::refresh, refresh, refresh, TimeUnit.MILLISECONDS);
  }

  /** Hears what the subscription has read; runs under its lock. */
  private final class News implements TableSubscription.Listener {

    /** Keys of this node's entries that the last comparison missed. */
    private final Set<String> suspects = new HashSet<>();

    @Override
    public void changed(ResidencyChange change) {
      listeners.forEach(listener -> listener.accept(change));
    }

    @Override
    public void deleted(String key) {
      suspects.remove(key);
      Optional.ofNullable(publishers.get(key)).ifPresent(ReportPublisher::deleted);
    }

    @Override
    public void updated() {
      updates.forEach(Runnable::run);
    }

    /** What is missing twice was lost: of what was deleted an event tells between the two. */
    @Override
    public void compared(Set<String> stored) {
      Set<String> missing = new HashSet<>();
      boolean lost = false;
      for (Map.Entry<String, ReportPublisher> own : publishers.entrySet()) {
        String key = own.getKey();
        boolean there = stored.contains(key);
        if (!there && own.getValue().stands()) {
          missing.add(key);
        }
        if (there || suspects.contains(key)) {
          lost |= own.getValue().confirm(there);
        }
      }
      Instant now = board.clock().instant();
      for (String holder : holders) {
        String key = TableEntries.holder(holder);
        Optional<HolderLeases> held =
            state.leases(holder).map(one -> one.at(now)).filter(one -> !one.isEmpty());
        if (held.isEmpty()) {
          holders.remove(holder);
        } else if (!stored.contains(key)) {
          missing.add(key);
          if (suspects.contains(key)) {
            restoring(() -> leases.restore(held.get()));
          }
        }
      }
      suspects.clear();
      suspects.addAll(missing);
      stored.addAll(missing);
      if (lost) {
        LOG.warn("entries of this node were lost from the page table: they are stored again");
        List<GroupAssignment> all = List.copyOf(snapshot().assignments());
        restoring(() ->
            Parallel.blocking(settings.callsInFlight(), all, BlackboardPageTable.this::storeOnce));
      }
    }
  }

  /** On a thread of its own: the subscription's lock is held. */
  private static void restoring(Runnable work) {
    Thread.startVirtualThread(() -> {
      try {
        work.run();
      } catch (RuntimeException failure) {
        LOG.warn("entries of the page table are not restored yet: {}", failure.toString());
      }
    });
  }

  private void leased(HolderLeases changed) {
    holders.add(changed.holder());
    state.add(changed);
    updates.forEach(Runnable::run);
  }

  /** Done when this node knows what was stored before it started. */
  public CompletionStage<Void> loaded() {
    return subscription.loaded().minimalCompletionStage();
  }

  @Override
  public PageTableSnapshot snapshot() {
    return state.snapshot();
  }

  @Override
  public void report(ReplicaResidency residency) {
    check(residency.replica(), residency.pages().size());
    publisher(residency.replica()).publish(residency);
  }

  private void check(ReplicaId replica, int pages) {
    if (pages > settings.maxPagesPerReplica()) {
      throw new IllegalArgumentException(
          "replica %s has %d pages, the most are %d"
              .formatted(replica, pages, settings.maxPagesPerReplica()));
    }
  }

  @Override
  public void report(ObservedResidency observed) {
    check(observed.replica(), observed.pages().size());
    publisher(
            TableEntries.of(new Observation(observed.node(), observed.replica())),
            settings.debounce())
        .publish(observed);
  }

  @Override
  public CompletionStage<Void> forget(NodeAddress node, ReplicaId replica) {
    String key = TableEntries.of(new Observation(node, replica));
    return Optional.ofNullable(publishers.remove(key))
        .map(ReportPublisher::cancel)
        .orElseGet(() -> CompletableFuture.completedStage(null))
        .thenCompose(idle -> board.delete(key))
        .thenAccept(existed -> {});
  }

  @Override
  public void report(PageUses uses) {
    publisher(TableEntries.uses(uses.node()), settings.usesDebounce()).publish(uses);
  }

  /** Of an entry that goes a while after its node. */
  private ReportPublisher publisher(String key, Duration debounce) {
    Duration kept = settings.refresh().multipliedBy(KEPT);
    return publishers.computeIfAbsent(
        key, one -> new ReportPublisher(board, key, debounce, Optional.of(kept), settings, timer));
  }

  @Override
  public PageLeases leases() {
    return leases;
  }

  /**
   * Tells that {@link #snapshot} has something new of any kind, one at a time.
   *
   * @param listener must not block, and must not throw
   */
  public Listening onUpdate(Runnable listener) {
    updates.add(listener);
    return () -> updates.remove(listener);
  }

  @Override
  public CompletionStage<Void> withdraw(ReplicaId replica) {
    return publisher(replica)
        .cancel()
        .thenCompose(idle -> board.delete(TableEntries.of(replica)))
        .thenAccept(existed -> {});
  }

  @Override
  public CompletionStage<Void> withdraw(ReplicaId replica, long incarnation) {
    String key = TableEntries.of(replica);
    return board.transaction(tx ->
        tx.read(key)
            .thenCompose(found ->
                found.isPresent() && !laterThan(replica, incarnation, found.get())
                    ? tx.delete(key)
                    : CompletableFuture.completedStage(null)));
  }

  private static boolean laterThan(ReplicaId replica, long incarnation, Entry entry) {
    try {
      return TableEntries.residency(replica, entry.value()).incarnation() > incarnation;
    } catch (IllegalArgumentException unreadable) {
      // No node can use it, and the next report replaces it.
      return false;
    }
  }

  @Override
  public Listening onChange(Consumer<ResidencyChange> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private ReportPublisher publisher(ReplicaId replica) {
    return publishers.computeIfAbsent(
        TableEntries.of(replica),
        key ->
            new ReportPublisher(
                board, key, settings.debounce(), Optional.empty(), settings, timer));
  }

  @Override
  public SortedMap<PageGroupId, Integer> assign(Collection<PageGroup> groups, UnitChoice choice) {
    Map<PageGroupId, PageGroup> byId = new LinkedHashMap<>();
    groups.forEach(group -> byId.put(group.id(), group));
    // Others may have assigned them where no event has told of it yet: what is stored decides.
    Await.result(loaded());
    SortedMap<PageGroupId, Integer> assigned = new TreeMap<>();
    PageTableSnapshot table = snapshot();
    List<PageGroup> fresh = new ArrayList<>();
    for (PageGroup group : byId.values()) {
      table
          .unit(group.id())
          .ifPresentOrElse(unit -> assigned.put(group.id(), unit), () -> fresh.add(group));
    }
    store(choose(fresh, table, choice), byId)
        .forEach(made -> assigned.put(made.group(), made.unit()));
    return assigned;
  }

  private static SortedMap<PageGroupId, Integer> choose(
      List<PageGroup> groups, PageTableSnapshot table, UnitChoice choice) {
    SortedMap<PageGroupId, Integer> chosen = choice.choose(groups, table);
    if (!chosen.keySet().equals(groups.stream().map(PageGroup::id).collect(Collectors.toSet()))) {
      throw new IllegalStateException(
          groups.size() + " groups were to get a unit, got one: " + chosen);
    }
    return chosen;
  }

  private List<GroupAssignment> store(
      SortedMap<PageGroupId, Integer> chosen, Map<PageGroupId, PageGroup> groups) {
    List<GroupAssignment> assignments = new ArrayList<>();
    chosen.forEach((id, unit) -> {
      PageGroup group = groups.get(id);
      assignments.add(
          new GroupAssignment(id, unit, group.pages(), group.sizeTokens(), group.kind()));
    });
    List<GroupAssignment> stored =
        Parallel.blocking(settings.callsInFlight(), assignments, this::storeOnce);
    stored.forEach(state::add);
    return stored;
  }

  private GroupAssignment storeOnce(GroupAssignment wanted) {
    String key = TableEntries.of(wanted.group());
    return switch (Await.result(
        board.write(Write.of(key, TableEntries.write(wanted)).ifAbsent()))) {
      case WriteResult.Written written -> wanted;
      case WriteResult.VersionConflict conflict ->
          TableEntries.assignment(
              wanted.group(), Await.result(board.read(key)).orElseThrow().value());
    };
  }

  @Override
  public void close() {
    subscription.close();
    timer.shutdownNow();
  }
}
