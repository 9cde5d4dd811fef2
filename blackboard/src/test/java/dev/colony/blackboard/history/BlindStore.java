package dev.colony.blackboard.history;

import dev.colony.blackboard.Blackboard;
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
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardStore;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A backend with a planted fault: a commit takes effect whatever it expects to find. */
record BlindStore(Blackboard board) implements BoardStore {

  @Override
  public Scope scope() {
    return board.scope();
  }

  @Override
  public CompletionStage<CommitOutcome> commit(Commit commit) {
    return board
        .transaction(tx -> {
          CompletionStage<Void> done = CompletableFuture.completedStage(null);
          for (Change change : commit.changes()) {
            done =
                done.thenCompose(before ->
                    switch (change) {
                      case Change.Put put -> tx.write(Write.of(put.key(), put.value()));
                      case Change.Limit limit -> CompletableFuture.completedStage(null);
                      case Change.Remove remove -> tx.delete(remove.key());
                    });
          }
          return done;
        })
        .thenApply(done ->
            new CommitOutcome.Done(
                commit.changes().stream()
                    .map(change -> Optional.<CommitOutcome.Changed>empty())
                    .toList(),
                Position.BEGINNING));
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch) {
    return board
        .readAll(keys)
        .thenApply(found -> {
          Map<String, Entry> byKey =
              found.stream().collect(Collectors.toMap(Entry::key, Function.identity()));
          return keys.stream().map(key -> Optional.ofNullable(byKey.get(key))).toList();
        });
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    return board.query(query);
  }

  @Override
  public CompletionStage<Long> clear(String writer) {
    return board.clear();
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    return board.history(filter, after, limit);
  }

  @Override
  public void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber) {
    board.subscribe(filter, from).subscribe(subscriber);
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return board.acknowledge(subscription, position);
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return board.forget(subscription);
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    return board.wakeOn(recipient, keyGlobs);
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return board.statistics();
  }
}
