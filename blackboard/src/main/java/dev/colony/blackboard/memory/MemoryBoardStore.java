package dev.colony.blackboard.memory;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.policy.Eviction;
import dev.colony.blackboard.store.BoardStore;
import dev.colony.blackboard.store.Commit;
import dev.colony.blackboard.store.CommitOutcome;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** One scope. */
record MemoryBoardStore(Scope scope) implements BoardStore {

  @Override
  public CompletionStage<CommitOutcome> commit(Commit commit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Long> clear(String writer) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    throw new UnsupportedOperationException();
  }
}
