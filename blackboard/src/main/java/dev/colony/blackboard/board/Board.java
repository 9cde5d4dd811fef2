package dev.colony.blackboard.board;

import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardListener.Call;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.BoardStore.CommitOutcome.Changed;
import dev.colony.blackboard.board.TransactionRun.Retries;
import dev.colony.blackboard.board.WriterStore.BoardCounters.Count;
import dev.colony.blackboard.board.WriterStore.BoardPermissions;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** One scope for one writer, over any backend: checks names, asks the policies, then the store. */
record Board(
    WriterStore store,
    BoardPermissions gate,
    RetryPolicy retry,
    Retries retries,
    InstantSource clock)
    implements Blackboard {

  Board {
    Objects.requireNonNull(store.writer(), "writer");
  }

  @Override
  public Scope scope() {
    return store.store().scope();
  }

  @Override
  public CompletionStage<WriteResult> write(Write write) {
    return write(write, put(write, Optional.empty(), false), List.of());
  }

  @Override
  public CompletionStage<WriteResult> send(Write write, String recipient) {
    return write(write, put(write, Optional.of(recipient), false), List.of());
  }

  @Override
  public CompletionStage<WriteResult> offer(Write write, String recipient) {
    return write(write, put(write, Optional.of(recipient), true), List.of());
  }

  @Override
  public CompletionStage<WriteResult> write(Write write, Collection<String> expiringWith) {
    if (write.ttl().isEmpty() || expiringWith.contains(write.key())) {
      throw new IllegalArgumentException(
          "what expires with \"%s\" is of other keys, and takes its time to live"
              .formatted(write.key()));
    }
    return write(write, put(write, Optional.empty(), false), expiringWith);
  }

  private CompletionStage<WriteResult> write(
      Write write, Change.Put put, Collection<String> expiringWith) {
    EntryKey.check(write.key());
    List<Change> changes = new ArrayList<>(List.of(put));
    for (String key : expiringWith) {
      EntryKey.check(key);
      changes.add(new Change.Limit(key, write.ttl().orElseThrow()));
    }
    return unless(
        Stream.concat(
                gate.refusal(write).stream(),
                expiringWith.stream().flatMap(key -> gate.refusal(Operation.DELETE, key).stream()))
            .findFirst(),
        () ->
            store
                .commit(expected(write).stream().toList(), changes)
                .thenApply(outcome ->
                    switch (outcome) {
                      case CommitOutcome.Done done -> written(done.changes().getFirst());
                      case CommitOutcome.Failed failed -> {
                        store.tally().add(Count.CONFLICTS);
                        yield new WriteResult.VersionConflict(failed.actualVersion());
                      }
                    }));
  }

  @Override
  public CompletionStage<CommitResult> writeAll(Collection<Write> writes) {
    List<Write> all = List.copyOf(writes);
    all.forEach(write -> EntryKey.check(write.key()));
    return unless(
        all.stream().map(gate::refusal).flatMap(Optional::stream).findFirst(),
        () ->
            store
                .commit(
                    all.stream().map(Board::expected).flatMap(Optional::stream).toList(),
                    all.stream().<Change>map(write -> put(write, Optional.empty(), false)).toList())
                .thenApply(outcome ->
                    switch (outcome) {
                      case CommitOutcome.Done done ->
                          new CommitResult.Committed(
                              done.changes().stream().map(Board::written).toList(), done.head());
                      case CommitOutcome.Failed failed -> {
                        store.tally().add(Count.CONFLICTS);
                        yield new CommitResult.Conflict(failed.key(), failed.actualVersion());
                      }
                    }));
  }

  private static Optional<CommitCondition> expected(Write write) {
    return write.expectedVersion().stream()
        .<CommitCondition>mapToObj(version -> new CommitCondition.Version(write.key(), version))
        .findFirst();
  }

  private static Change.Put put(Write write, Optional<String> recipient, boolean offered) {
    return new Change.Put(
        write.key(),
        write.value(),
        write.tags(),
        write.metadata(),
        write.ttl(),
        recipient,
        offered);
  }

  private static WriteResult.Written written(Optional<Changed> put) {
    Changed changed = put.orElseThrow();
    return new WriteResult.Written(changed.version(), changed.position());
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return entries(List.of(key)).thenApply(List::getFirst);
  }

  @Override
  public CompletionStage<List<Entry>> readAll(Collection<String> keys) {
    return entries(List.copyOf(keys))
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  private CompletionStage<List<Optional<Entry>>> entries(List<String> keys) {
    keys.forEach(EntryKey::check);
    return unless(
        keys.stream()
            .map(key -> gate.refusal(Operation.READ, key))
            .flatMap(Optional::stream)
            .findFirst(),
        () -> store.read(keys));
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    // What is left out makes the page shorter; its cursor is where the store's page ended.
    return store
        .query(query)
        .thenApply(page ->
            new EntryPage(
                page.entries().stream().filter(entry -> gate.shows(entry.key())).toList(),
                page.next()));
  }

  @Override
  public CompletionStage<Boolean> delete(String key) {
    EntryKey.check(key);
    return unless(
        gate.refusal(Operation.DELETE, key),
        () ->
            store
                .commit(List.of(), List.of(new Change.Remove(key)))
                .thenApply(outcome ->
                    switch (outcome) {
                      case CommitOutcome.Done done -> done.changes().getFirst().isPresent();
                      case CommitOutcome.Failed failed ->
                          throw new IllegalStateException("nothing was expected, but " + failed);
                    }));
  }

  @Override
  public CompletionStage<Long> clear() {
    return unless(gate.refusal(Operation.CLEAR, ""), store::clear);
  }

  @Override
  public <T> CompletionStage<T> transaction(Function<Transaction, CompletionStage<T>> body) {
    return transaction(body, retry);
  }

  @Override
  public <T> CompletionStage<T> transaction(
      Function<Transaction, CompletionStage<T>> body, RetryPolicy policy) {
    return new TransactionRun<>(store, gate, clock, retries, policy, body).start();
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
    }
    return new VisibleHistory(store, gate, filter, limit).after(after);
  }

  @Override
  public Flow.Publisher<BlackboardEvent> subscribe(EventFilter filter, SubscribeFrom from) {
    return subscriber ->
        store
            .store()
            .subscribe(
                filter,
                from,
                new HandedOn(Objects.requireNonNull(subscriber), gate, clock, store.listener()));
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return store.watched(
        Call.SUBSCRIPTION,
        () -> store.store().acknowledge(SubscribeFrom.Durable.check(subscription), position));
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return store.watched(
        Call.SUBSCRIPTION, () -> store.store().forget(SubscribeFrom.Durable.check(subscription)));
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    WakePatterns.check(keyGlobs);
    return store.watched(
        Call.SUBSCRIPTION, () -> store.store().wakeOn(recipient, List.copyOf(keyGlobs)));
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return store.watched(Call.STATISTICS, () -> store.store().statistics());
  }

  @Override
  public BlackboardCounters counters() {
    return store.tally().counters();
  }

  private static <T> CompletionStage<T> unless(
      Optional<BlackboardException> refusal, Supplier<CompletionStage<T>> call) {
    return refusal.<CompletionStage<T>>map(CompletableFuture::failedStage).orElseGet(call);
  }

  /** The limits on what an agent may have itself woken for: every write is compared with all. */
  private static final class WakePatterns {

    private static final int MAX_PATTERNS = 16;
    private static final int MAX_STARS = 4;

    private WakePatterns() {}

    /**
     * @throws IllegalArgumentException naming what is too much
     */
    static void check(Collection<KeyGlob> keyGlobs) {
      if (keyGlobs.size() > MAX_PATTERNS) {
        throw new IllegalArgumentException(
            "an agent is woken for at most %d patterns in a scope, but these are %d"
                .formatted(MAX_PATTERNS, keyGlobs.size()));
      }
      for (KeyGlob glob : keyGlobs) {
        if (glob.pattern().chars().filter(c -> c == '*').count() > MAX_STARS) {
          throw new IllegalArgumentException(
              "a pattern to be woken for has at most %d stars, but this has more: %s"
                  .formatted(MAX_STARS, glob.pattern()));
        }
      }
    }
  }

  /**
   * Reads stored events until there are as many as asked for that an agent may see. Where the
   * policy leaves none out, that is one read.
   */
  static final class VisibleHistory {

    /** After a read that was not enough, no fewer are read at a time, however few are wanted. */
    private static final int FURTHER_EVENTS = 64;

    private final WriterStore store;
    private final BoardPermissions gate;
    private final EventFilter filter;
    private final int limit;
    private final List<BlackboardEvent> visible = new ArrayList<>();

    VisibleHistory(WriterStore store, BoardPermissions gate, EventFilter filter, int limit) {
      this.store = store;
      this.gate = gate;
      this.filter = filter;
      this.limit = limit;
    }

    CompletionStage<List<BlackboardEvent>> after(Position position) {
      return read(position, limit);
    }

    private CompletionStage<List<BlackboardEvent>> read(Position after, int count) {
      return store
          .history(filter, after, count)
          .thenCompose(found -> {
            found.stream().filter(gate::shows).forEach(visible::add);
            if (visible.size() >= limit || found.size() < count) {
              return CompletableFuture.completedStage(visible.stream().limit(limit).toList());
            }
            // On a thread of its own: with a store that answers at once, the stack would grow.
            return CompletableFuture.supplyAsync(
                    () -> read(found.getLast().position(), Math.max(limit, FURTHER_EVENTS)),
                    Retries.VIRTUAL)
                .thenCompose(more -> more);
          });
    }
  }

  /**
   * Hands on the events that the subscriber may see, and counts them. One that is left out is made
   * good by demand for another, so that the subscriber gets as many as it asked for.
   */
  static final class HandedOn implements BlackboardSubscriber {

    private final Flow.Subscriber<? super BlackboardEvent> target;
    private final BoardPermissions gate;
    private final InstantSource clock;
    private final BlackboardListener listener;
    private Flow.Subscription subscription;

    HandedOn(
        Flow.Subscriber<? super BlackboardEvent> target,
        BoardPermissions gate,
        InstantSource clock,
        BlackboardListener listener) {
      this.target = target;
      this.gate = gate;
      this.clock = clock;
      this.listener = listener;
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription = established;
      target.onSubscribe(established);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      if (gate.shows(event)) {
        gate.tally().add(Count.EVENTS);
        Duration lag = Duration.between(event.at(), clock.instant());
        listener.handedOn(lag.isNegative() ? Duration.ZERO : lag);
        target.onNext(event);
      } else {
        subscription.request(1);
      }
    }

    @Override
    public void onBehind(Position last) {
      if (target instanceof BlackboardSubscriber told) {
        told.onBehind(last);
      }
    }

    @Override
    public void onCaughtUp() {
      if (target instanceof BlackboardSubscriber told) {
        told.onCaughtUp();
      }
    }

    @Override
    public void onError(Throwable failure) {
      target.onError(failure);
    }

    @Override
    public void onComplete() {
      target.onComplete();
    }
  }
}
