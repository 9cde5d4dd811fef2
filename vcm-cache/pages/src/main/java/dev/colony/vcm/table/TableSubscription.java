package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.vcm.settings.TableSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
  private final Consumer<ResidencyChange> news;
  private final CompletableFuture<Void> loaded = new CompletableFuture<>();
  private final Set<String> heard = new HashSet<>();
  private boolean loading;
  private boolean cleared;
  private Flow.Subscription subscription;
  private boolean closed;

  /**
   * @param news is told of each change of what is resident, in order, after the state has it
   */
  TableSubscription(
      Blackboard board,
      TableState state,
      TableSettings settings,
      ScheduledExecutorService timer,
      Consumer<ResidencyChange> news) {
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
      if (closed) {
        newSubscription.cancel();
        return;
      }
    }
    newSubscription.request(Long.MAX_VALUE);
    load();
  }

  private void load() {
    board
        .query(Query.keys(TableKeys.REPLICA + "*").limit(settings.maxEntries()))
        .thenAcceptBoth(
            board.query(Query.keys(TableKeys.GROUP + "*").limit(settings.maxEntries())),
            (replicas, groups) -> {
              synchronized (this) {
                if (cleared) {
                  // What was read may have been there before, and no event names what went.
                  cleared = false;
                  load();
                  return;
                }
                forgetAllBut(replicas.entries());
                replicas.entries().forEach(this::stored);
                groups.entries().forEach(this::stored);
                loading = false;
                heard.clear();
              }
              loaded.complete(null);
            })
        .exceptionally(failure -> {
          LOG.warn("the page table cannot be read yet: {}", failure.toString());
          later(this::load);
          return null;
        });
  }

  /** Replicas that were withdrawn while this subscription was away. */
  private void forgetAllBut(List<Entry> replicas) {
    Set<ReplicaId> stored = new HashSet<>();
    replicas.forEach(entry -> TableKeys.replica(entry.key()).ifPresent(stored::add));
    heard.forEach(key -> TableKeys.replica(key).ifPresent(stored::add));
    state.retain(stored).forEach(news);
  }

  private void stored(Entry entry) {
    if (!heard.contains(entry.key())) {
      TableKeys.written(entry.key(), entry.value(), state).ifPresent(news);
    }
  }

  @Override
  public synchronized void onNext(BlackboardEvent event) {
    if (loading) {
      event.entryKey().ifPresentOrElse(heard::add, () -> cleared = true);
    }
    switch (event) {
      case BlackboardEvent.Written written ->
          TableKeys.written(written.key(), written.value(), state).ifPresent(news);
      case BlackboardEvent.Deleted deleted ->
          TableKeys.deleted(deleted.key(), state).ifPresent(news);
      case BlackboardEvent.Expired expired ->
          TableKeys.deleted(expired.key(), state).ifPresent(news);
      case BlackboardEvent.Cleared cleared -> state.retain(Set.of()).forEach(news);
    }
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
