package dev.colony.blackboard.store;

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
import dev.colony.blackboard.key.KeyGlob;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * One scope as a backend keeps it. Keys, tags and names are valid when they come here. Stages fail
 * with {@link dev.colony.blackboard.BlackboardException} only; a value over the limit is refused at
 * once with {@link IllegalArgumentException}. Thread-safe; no call blocks.
 */
public interface BoardStore {

  Scope scope();

  /** Takes effect once, however often a reconnecting client repeats it. */
  CompletionStage<CommitOutcome> commit(Commit commit);

  /**
   * The entries of one moment, in the order of the keys, empty where absent or expired.
   *
   * @param touch where present, the reading counts as use for it
   */
  CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch);

  /** See {@link dev.colony.blackboard.Blackboard#query}. */
  CompletionStage<EntryPage> query(Query query);

  /** See {@link dev.colony.blackboard.Blackboard#clear}. */
  CompletionStage<Long> clear(String writer);

  /** See {@link dev.colony.blackboard.Blackboard#history}. */
  CompletionStage<List<BlackboardEvent>> history(EventFilter filter, Position after, int limit);

  /** See {@link dev.colony.blackboard.Blackboard#subscribe}. */
  void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber);

  /** See {@link dev.colony.blackboard.Blackboard#acknowledge}. */
  CompletionStage<Void> acknowledge(String subscription, Position position);

  /** See {@link dev.colony.blackboard.Blackboard#forget}. */
  CompletionStage<Boolean> forget(String subscription);

  /** See {@link dev.colony.blackboard.Blackboard#wakeOn}. */
  CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs);

  CompletionStage<ScopeStatistics> statistics();
}
