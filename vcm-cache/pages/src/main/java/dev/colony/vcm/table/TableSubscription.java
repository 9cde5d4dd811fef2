package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a state up to date. It listens first and reads what is stored then, so that nothing falls
 * between the two; of a key that an event has told of meanwhile, the event is the later news.
 */
final class TableSubscription implements Flow.Subscriber<BlackboardEvent> {

  private static final Logger LOG = LoggerFactory.getLogger(TableSubscription.class);

  private final Blackboard board;
  private final TableState state;
  private final TableSettings settings;
  private final ScheduledExecutorService timer;
  private final Listener news;
  private final CompletableFuture<Void> loaded = new CompletableFuture<>();
  private final Set<String> heard = new HashSet<>();
  private boolean everything;
  private boolean loading;
  private boolean cleared;
  private Flow.Subscription subscription;
  private boolean closed;

  /** Hears of news, in order and one at a time, after the state has them; must not block. */
  interface Listener {

    /** Something was resident that is not any more, or the other way round. */
    void changed(ResidencyChange change);

    /** An entry was deleted, or has expired. */
    void deleted(String key);

    /** An event was taken in, of whatever kind. */
    void updated();

    /**
     * The stored entries of replicas, observations, uses and holders were read.
     *
     * @param stored their keys, and those of which events told meanwhile; the state has what is not
     *     among them still, and forgets it unless the listener adds it here
     */
    void compared(Set<String> stored);
  }

  TableSubscription(
      Blackboard board,
      TableState state,
      TableSettings settings,
      ScheduledExecutorService timer,
      Listener news) {
    this.board = board;
    this.state = state;
    this.settings = settings;
    this.timer = timer;
    this.news = news;
  }

  void start() {
    board.subscribe("*", SubscribeFrom.now()).subscribe(this);
  }

  /** Done when what was stored before the start is known here. */
  CompletableFuture<Void> loaded() {
    return loaded;
  }

  synchronized void close() {
    closed = true;
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    synchronized (this) {
      subscription = newSubscription;
      heard.clear();
      loading = true;
      everything = true;
      if (closed) {
        newSubscription.cancel();
        return;
      }
    }
    newSubscription.request(Long.MAX_VALUE);
    load();
  }

  /** Reads again what may change; what is being read already is not read twice. */
  void refresh() {
    synchronized (this) {
      if (closed || loading || !loaded.isDone()) {
        return;
      }
      heard.clear();
      loading = true;
      everything = false;
    }
    load();
  }

  private CompletionStage<List<Entry>> read(String prefix) {
    return board
        .query(Query.keys(prefix + "*").limit(settings.maxEntries()))
        .thenApply(EntryPage::entries);
  }

  private void load() {
    boolean groups;
    synchronized (this) {
      groups = everything;
    }
    read(TableEntries.REPLICA)
        .thenCombine(read(TableEntries.USES), TableSubscription::joined)
        .thenCombine(read(TableEntries.OBSERVED), TableSubscription::joined)
        .thenCombine(read(TableEntries.HOLDER), TableSubscription::joined)
        .thenAcceptBoth(
            groups ? read(TableEntries.GROUP) : CompletableFuture.completedStage(List.<Entry>of()),
            this::loaded)
        .exceptionally(failure -> {
          Throwable cause = failure.getCause() == null ? failure : failure.getCause();
          LOG.warn("the page table cannot be read yet: {}", Text.message(cause));
          later(this::load);
          return null;
        });
  }

  private static List<Entry> joined(List<Entry> one, List<Entry> other) {
    List<Entry> all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  private void loaded(List<Entry> changing, List<Entry> groups) {
    synchronized (this) {
      if (cleared) {
        // What was read may have been there before, and no event names what went.
        cleared = false;
        load();
        return;
      }
      Set<String> stored = new HashSet<>(heard);
      changing.forEach(entry -> stored.add(entry.key()));
      news.compared(stored);
      forgetAllBut(stored);
      changing.forEach(this::stored);
      groups.forEach(this::stored);
      loading = false;
      heard.clear();
      news.updated();
    }
    loaded.complete(null);
  }

  /** What was withdrawn while this subscription was away. */
  private void forgetAllBut(Set<String> stored) {
    Set<ReplicaId> replicas = new HashSet<>();
    Set<NodeAddress> nodes = new HashSet<>();
    Set<String> holders = new HashSet<>();
    Set<TableEntries.Observation> observations = new HashSet<>();
    for (String key : stored) {
      TableEntries.replica(key).ifPresent(replicas::add);
      TableEntries.name(key, TableEntries.USES).map(NodeAddress::new).ifPresent(nodes::add);
      TableEntries.name(key, TableEntries.HOLDER).ifPresent(holders::add);
      TableEntries.observation(key).ifPresent(observations::add);
    }
    state.retain(nodes, holders);
    state.retain(replicas).forEach(news::changed);
    state.retainObserved(observations).forEach(news::changed);
  }

  private void stored(Entry entry) {
    if (!heard.contains(entry.key())) {
      TableEntries.written(entry.key(), entry.value(), state).ifPresent(news::changed);
    }
  }

  @Override
  public synchronized void onNext(BlackboardEvent event) {
    if (loading) {
      event.entryKey().ifPresentOrElse(heard::add, () -> cleared = true);
    }
    switch (event) {
      case BlackboardEvent.Written written ->
          TableEntries.written(written.key(), written.value(), state).ifPresent(news::changed);
      case BlackboardEvent.Deleted deleted -> deleted(deleted.key(), deleted.at());
      case BlackboardEvent.Expired expired -> deleted(expired.key(), expired.at());
      case BlackboardEvent.Cleared all -> {
        state.retain(Set.of(), Set.of());
        state.retain(Set.of()).forEach(news::changed);
        state.retainObserved(Set.of()).forEach(news::changed);
      }
    }
    news.updated();
  }

  private void deleted(String key, Instant at) {
    news.deleted(key);
    TableEntries.deleted(key, at, state).ifPresent(news::changed);
  }

  @Override
  public void onError(Throwable failure) {
    LOG.warn("the page table's subscription broke: {}", failure.toString());
    later(this::start);
  }

  @Override
  public void onComplete() {
    // The backend was closed; what is known stays.
  }

  private void later(Runnable action) {
    try {
      timer.schedule(action, settings.retryDelay().toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException shutDown) {
      // The table is closed.
    }
  }
}
