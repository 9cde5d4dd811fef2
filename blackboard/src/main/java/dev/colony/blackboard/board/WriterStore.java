package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardListener.Call;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.board.BoardCounters.Count;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.store.BoardStore;
import dev.colony.blackboard.store.Change;
import dev.colony.blackboard.store.Commit;
import dev.colony.blackboard.store.CommitCondition;
import dev.colony.blackboard.store.CommitOutcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A scope's store as one writer uses it: commits carry the writer's name and the board's eviction,
 * and what is asked of the backend is counted and told of, also where it fails.
 */
record WriterStore(
    BoardStore store,
    String writer,
    Optional<Eviction> eviction,
    BoardCounters tally,
    BlackboardListener listener) {

  CompletionStage<CommitOutcome> commit(List<CommitCondition> expectations, List<Change> changes) {
    long puts = changes.stream().filter(Change.Put.class::isInstance).count();
    tally.add(Count.WRITES, puts);
    tally.add(Count.DELETES, changes.stream().filter(Change.Remove.class::isInstance).count());
    return watched(
        Call.COMMIT,
        () ->
            store.commit(
                new Commit(writer, expectations, changes, puts > 0 ? eviction : Optional.empty())));
  }

  CompletionStage<List<Optional<Entry>>> read(List<String> keys) {
    tally.add(Count.READS, keys.size());
    return watched(Call.READ, () -> store.read(keys, eviction));
  }

  CompletionStage<EntryPage> query(Query query) {
    tally.add(Count.QUERIES);
    return watched(Call.QUERY, () -> store.query(query));
  }

  CompletionStage<Long> clear() {
    tally.add(Count.CLEARS);
    return watched(Call.CLEAR, () -> store.clear(writer));
  }

  CompletionStage<List<BlackboardEvent>> history(EventFilter filter, Position after, int limit) {
    return watched(Call.HISTORY, () -> store.history(filter, after, limit));
  }

  /** What the call gives; its failure is counted, and what became of it is told. */
  <T> CompletionStage<T> watched(Call call, Supplier<CompletionStage<T>> asked) {
    Stopwatch watch = Stopwatch.start();
    return asked
        .get()
        .whenComplete((value, failure) -> {
          if (failure != null) {
            tally.add(Count.FAILURES);
          }
          listener.answered(
              call, watch.elapsed(), Optional.ofNullable(failure).map(WriterStore::reason));
        });
  }

  private static BlackboardException.Reason reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    return cause instanceof BlackboardException known
        ? known.reason()
        : BlackboardException.Reason.INTERNAL;
  }
}
