package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * The least that a board needs: entries, the events of writes and deletes, keys as the only filter
 * of a query. What it was asked for is kept; when it answers, its executor says.
 */
final class TinyStore implements BoardStore {

  static final Scope SCOPE = Scope.colony("acme", "billing");
  private static final Instant AT = Instant.EPOCH;

  private final Executor executor;
  private final NavigableMap<String, Entry> entries = new TreeMap<>(EntryKey.ORDER);
  private final List<BlackboardEvent> events = new ArrayList<>();
  private final List<Commit> commits = new ArrayList<>();
  private final List<String> effective = new ArrayList<>();
  private Optional<RuntimeException> failure = Optional.empty();
  private Flow.Subscriber<? super BlackboardEvent> subscriber;

  /** Answers at once. */
  TinyStore() {
    this(Runnable::run);
  }

  TinyStore(Executor executor) {
    this.executor = executor;
  }

  /** From now on every call fails with it. */
  void failWith(RuntimeException reason) {
    failure = Optional.of(reason);
  }

  /** All commits that were asked for. */
  synchronized List<Commit> commits() {
    return List.copyOf(commits);
  }

  /** The writers of the commits that took effect, in their order. */
  synchronized List<String> effective() {
    return List.copyOf(effective);
  }

  synchronized Map<String, Entry> entries() {
    return Map.copyOf(entries);
  }

  /** Who subscribed last. */
  Flow.Subscriber<? super BlackboardEvent> subscriber() {
    return subscriber;
  }

  private <T> CompletionStage<T> answer(Supplier<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          failure.ifPresent(reason -> {
            throw reason;
          });
          synchronized (this) {
            return call.get();
          }
        },
        executor);
  }

  private Position head() {
    return events.isEmpty() ? Position.BEGINNING : events.getLast().position();
  }

  private Position next() {
    return new Position(1, events.size() + 1);
  }

  private long version(String key) {
    return entries.containsKey(key) ? entries.get(key).version() : 0;
  }

  @Override
  public Scope scope() {
    return SCOPE;
  }

  @Override
  public CompletionStage<CommitOutcome> commit(Commit commit) {
    return answer(() -> {
      commits.add(commit);
      for (CommitCondition expectation : commit.expectations()) {
        if (!holds(expectation)) {
          return new CommitOutcome.Failed(expectation.key(), version(expectation.key()));
        }
      }
      effective.add(commit.writer());
      var changed = commit.changes().stream().map(c -> apply(c, commit.writer())).toList();
      return new CommitOutcome.Done(changed, head());
    });
  }

  private boolean holds(CommitCondition expectation) {
    return switch (expectation) {
      case CommitCondition.Version expected -> version(expected.key()) == expected.version();
      case CommitCondition.WrittenAt expected ->
          Optional.ofNullable(entries.get(expected.key()))
              .map(Entry::position)
              .orElse(Position.BEGINNING)
              .equals(expected.position());
    };
  }

  private Optional<CommitOutcome.Changed> apply(Change change, String writer) {
    Position position = next();
    long before = version(change.key());
    switch (change) {
      case Change.Put put -> {
        Entry entry =
            new Entry(
                put.key(),
                put.value(),
                before + 1,
                position,
                AT,
                writer,
                AT,
                writer,
                put.tags(),
                put.metadata(),
                Optional.empty());
        entries.put(put.key(), entry);
        events.add(
            new BlackboardEvent.Written(
                SCOPE,
                put.key(),
                position,
                AT,
                writer,
                put.value(),
                before,
                before + 1,
                put.tags()));
        return Optional.of(new CommitOutcome.Changed(before + 1, position));
      }
      // Nothing expires here.
      case Change.Limit limit -> {
        return Optional.empty();
      }
      case Change.Remove remove -> {
        Entry gone = entries.remove(remove.key());
        if (gone == null) {
          return Optional.empty();
        }
        events.add(
            new BlackboardEvent.Deleted(
                SCOPE, remove.key(), position, AT, writer, before, gone.tags(), false));
        return Optional.of(new CommitOutcome.Changed(before, position));
      }
    }
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch) {
    return answer(() -> keys.stream().map(key -> Optional.ofNullable(entries.get(key))).toList());
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    return answer(() -> {
      List<Entry> rest =
          query
              .cursor()
              .map(at -> entries.tailMap(at.afterKey(), false))
              .orElse(entries)
              .values()
              .stream()
              .filter(entry -> query.keys().matches(entry.key()))
              .toList();
      List<Entry> page = rest.stream().limit(query.limit()).toList();
      return new EntryPage(
          page,
          page.size() < rest.size()
              ? Optional.of(new Query.Cursor(page.getLast().key()))
              : Optional.empty());
    });
  }

  @Override
  public CompletionStage<Long> clear(String writer) {
    return answer(() -> {
      long cleared = entries.size();
      entries.clear();
      return cleared;
    });
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    return answer(() ->
        events.stream()
            .filter(event -> event.position().compareTo(after) > 0)
            .limit(limit)
            .toList());
  }

  @Override
  public void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> target) {
    subscriber = target;
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return answer(() -> null);
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return answer(() -> false);
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    return answer(() -> null);
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return answer(() -> new ScopeStatistics(entries.size(), events.size(), head(), Map.of()));
  }
}
