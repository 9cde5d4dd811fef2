package dev.colony.blackboard.board;

import dev.colony.blackboard.AccessPolicy;
import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardListener.Call;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.ValidationPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.WriterStore.BoardCounters.Count;
import dev.colony.blackboard.clock.Stopwatch;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
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

  /** What the policies of a board let one agent do. */
  record BoardPermissions(
      String agent, AccessPolicy access, ValidationPolicy validation, BoardCounters tally) {

    /** Why a call may not be made. A refusal is counted. */
    Optional<BlackboardException> refusal(Operation operation, String key) {
      return access
          .refusal(agent, operation, key)
          .map(why ->
              refused(
                  Reason.ACCESS_DENIED,
                  "%s may not %s: %s".formatted(agent, described(operation, key), why)));
    }

    /** Why a write may not be made: access first, then the value. A refusal is counted. */
    Optional<BlackboardException> refusal(Write write) {
      return refusal(Operation.WRITE, write.key())
          .or(() ->
              validation
                  .violation(write)
                  .map(why ->
                      refused(
                          Reason.INVALID_VALUE,
                          "the value of \"%s\" is refused: %s".formatted(write.key(), why))));
    }

    /** Whether an entry of this key may be shown. */
    boolean shows(String key) {
      return access.refusal(agent, Operation.READ, key).isEmpty();
    }

    /** An event of the whole scope is shown to every agent. */
    boolean shows(BlackboardEvent event) {
      return event.entryKey().map(this::shows).orElse(true);
    }

    private BlackboardException refused(Reason reason, String message) {
      tally.add(Count.REFUSALS);
      return new BlackboardException(reason, message);
    }

    private static String described(Operation operation, String key) {
      return switch (operation) {
        case READ, WRITE, DELETE -> operation.name().toLowerCase(Locale.ROOT) + " \"" + key + "\"";
        case CLEAR -> "clear the scope";
      };
    }
  }

  /** Counts for one board and, with it, for all boards of the same backend. Thread-safe. */
  static final class BoardCounters {

    /** The components of {@link BlackboardCounters}. */
    enum Count {
      READS,
      QUERIES,
      WRITES,
      DELETES,
      CLEARS,
      CONFLICTS,
      COMMITS,
      RETRIES,
      CONCURRENT_MODIFICATIONS,
      REFUSALS,
      FAILURES,
      EVENTS
    }

    private final Optional<BoardCounters> whole;
    private final Map<Count, LongAdder> adders = new EnumMap<>(Count.class);

    private BoardCounters(Optional<BoardCounters> whole) {
      this.whole = whole;
      for (Count count : Count.values()) {
        adders.put(count, new LongAdder());
      }
    }

    /** Of a whole backend. */
    static BoardCounters whole() {
      return new BoardCounters(Optional.empty());
    }

    /** Of one board; what it counts, this counts too. */
    BoardCounters part() {
      return new BoardCounters(Optional.of(this));
    }

    void add(Count count, long times) {
      adders.get(count).add(times);
      whole.ifPresent(all -> all.add(count, times));
    }

    void add(Count count) {
      add(count, 1);
    }

    BlackboardCounters counters() {
      return new BlackboardCounters(
          of(Count.READS),
          of(Count.QUERIES),
          of(Count.WRITES),
          of(Count.DELETES),
          of(Count.CLEARS),
          of(Count.CONFLICTS),
          of(Count.COMMITS),
          of(Count.RETRIES),
          of(Count.CONCURRENT_MODIFICATIONS),
          of(Count.REFUSALS),
          of(Count.FAILURES),
          of(Count.EVENTS));
    }

    private long of(Count count) {
      return adders.get(count).sum();
    }
  }
}
