package dev.colony.blackboard.board;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardEvent;
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
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.policy.BoardPolicies;
import dev.colony.blackboard.store.BoardStore;
import dev.colony.blackboard.store.Change;
import dev.colony.blackboard.store.Commit;
import dev.colony.blackboard.store.CommitOutcome;
import dev.colony.blackboard.store.Expectation;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** One scope for one writer, over any backend. */
public record Board(BoardStore store, String writer, BoardPolicies policies, RetryPolicy retry)
    implements Blackboard {

  public Board {
    Objects.requireNonNull(writer, "writer");
  }

  @Override
  public Scope scope() {
    return store.scope();
  }

  @Override
  public CompletionStage<WriteResult> write(Write write) {
    return write(write, Optional.empty());
  }

  @Override
  public CompletionStage<WriteResult> send(Write write, String recipient) {
    return write(write, Optional.of(recipient));
  }

  private CompletionStage<WriteResult> write(Write write, Optional<String> recipient) {
    EntryKey.check(write.key());
    List<Expectation> expected =
        write.expectedVersion().isPresent()
            ? List.of(new Expectation.Version(write.key(), write.expectedVersion().getAsLong()))
            : List.of();
    Change.Put put =
        new Change.Put(
            write.key(), write.value(), write.tags(), write.metadata(), write.ttl(), recipient);
    return store
        .commit(new Commit(writer, expected, List.of(put), policies.eviction()))
        .thenApply(outcome ->
            switch (outcome) {
              case CommitOutcome.Done done -> {
                CommitOutcome.Changed changed = done.changes().getFirst().orElseThrow();
                yield new WriteResult.Written(changed.version(), changed.position());
              }
              case CommitOutcome.Failed failed ->
                  new WriteResult.VersionConflict(failed.actualVersion());
            });
  }

  @Override
  public CompletionStage<CommitResult> writeAll(Collection<Write> writes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return store.read(List.of(EntryKey.check(key)), policies.eviction()).thenApply(List::getFirst);
  }

  @Override
  public CompletionStage<List<Entry>> readAll(Collection<String> keys) {
    keys.forEach(EntryKey::check);
    return store
        .read(List.copyOf(keys), policies.eviction())
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    return store.query(query);
  }

  @Override
  public CompletionStage<Boolean> delete(String key) {
    return store
        .commit(
            new Commit(
                writer,
                List.of(),
                List.of(new Change.Remove(EntryKey.check(key))),
                Optional.empty()))
        .thenApply(outcome ->
            switch (outcome) {
              case CommitOutcome.Done done -> done.changes().getFirst().isPresent();
              case CommitOutcome.Failed failed -> throw new IllegalStateException("no expectation");
            });
  }

  @Override
  public CompletionStage<Long> clear() {
    return store.clear(writer);
  }

  @Override
  public <T> CompletionStage<T> transaction(Function<Transaction, CompletionStage<T>> body) {
    return transaction(body, retry);
  }

  @Override
  public <T> CompletionStage<T> transaction(
      Function<Transaction, CompletionStage<T>> body, RetryPolicy retry) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    return store.history(filter, after, limit);
  }

  @Override
  public Flow.Publisher<BlackboardEvent> subscribe(EventFilter filter, SubscribeFrom from) {
    return subscriber -> store.subscribe(filter, from, Objects.requireNonNull(subscriber));
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return store.acknowledge(subscription, position);
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return store.forget(subscription);
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    return store.wakeOn(recipient, keyGlobs);
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return store.statistics();
  }

  @Override
  public BlackboardCounters counters() {
    throw new UnsupportedOperationException();
  }
}
