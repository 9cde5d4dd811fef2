package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.board.Tally.Count;
import dev.colony.blackboard.policy.Eviction;
import dev.colony.blackboard.store.BoardStore;
import dev.colony.blackboard.store.Change;
import dev.colony.blackboard.store.Commit;
import dev.colony.blackboard.store.CommitOutcome;
import dev.colony.blackboard.store.Expectation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A scope's store as one writer uses it: commits carry the writer's name and the board's eviction,
 * and what is asked of the backend is counted, also where it fails.
 */
record WriterStore(BoardStore store, String writer, Optional<Eviction> eviction, Tally tally) {

  CompletionStage<CommitOutcome> commit(List<Expectation> expectations, List<Change> changes) {
    long puts = changes.stream().filter(Change.Put.class::isInstance).count();
    tally.add(Count.WRITES, puts);
    tally.add(Count.DELETES, changes.size() - puts);
    return watched(
        store.commit(
            new Commit(writer, expectations, changes, puts > 0 ? eviction : Optional.empty())));
  }

  CompletionStage<List<Optional<Entry>>> read(List<String> keys) {
    tally.add(Count.READS, keys.size());
    return watched(store.read(keys, eviction));
  }

  CompletionStage<EntryPage> query(Query query) {
    tally.add(Count.QUERIES);
    return watched(store.query(query));
  }

  CompletionStage<Long> clear() {
    tally.add(Count.CLEARS);
    return watched(store.clear(writer));
  }

  CompletionStage<List<BlackboardEvent>> history(EventFilter filter, Position after, int limit) {
    return watched(store.history(filter, after, limit));
  }

  /** The same stage, whose failure is counted. */
  <T> CompletionStage<T> watched(CompletionStage<T> call) {
    return call.whenComplete((value, failure) -> {
      if (failure != null) {
        tally.add(Count.FAILURES);
      }
    });
  }
}
