package dev.colony.testkit.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.BoardStore;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.ScopeEventLog.History;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.ValueCodec;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One scope, as long as the backend is open.
 *
 * @param closed whether it has been closed
 */
record MemoryBoardStore(MemoryScope memory, ValueCodec codec, BooleanSupplier closed)
    implements BoardStore {

  private static final byte[] NO_VALUE = {};

  @Override
  public Scope scope() {
    return memory.scope();
  }

  @Override
  public CompletionStage<CommitOutcome> commit(Commit commit) {
    List<byte[]> values = commit.changes().stream().map(this::value).toList();
    return answer(() -> memory.commit(commit, values));
  }

  private byte[] value(Change change) {
    return switch (change) {
      case Change.Put put -> codec.value(put.key(), put.value());
      case Change.Limit limit -> NO_VALUE;
      case Change.Remove remove -> NO_VALUE;
    };
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch) {
    return answer(() ->
        memory.read(keys, touch.isPresent()).stream()
            .map(found -> found.map(entry -> entry.decoded(codec)))
            .toList());
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    return answer(() -> {
      MemoryEntries.Page page = memory.query(query);
      return new EntryPage(
          page.entries().stream().map(entry -> entry.decoded(codec)).toList(),
          page.last().map(Query.Cursor::new));
    });
  }

  @Override
  public CompletionStage<Long> clear(String writer) {
    return answer(() -> memory.clear(writer));
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    return closed.getAsBoolean() ? refused() : History.read(memory, filter, after, limit);
  }

  @Override
  public void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber) {
    memory.feed().subscribe(filter, from, subscriber, answer(() -> null));
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return answer(() -> {
      memory.acknowledge(subscription, position);
      return null;
    });
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return answer(() -> memory.forget(subscription));
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    return answer(() -> {
      memory.wakeOn(recipient, keyGlobs);
      return null;
    });
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return answer(memory::statistics);
  }

  private <T> CompletionStage<T> answer(Supplier<T> operation) {
    if (closed.getAsBoolean()) {
      return refused();
    }
    try {
      return CompletableFuture.completedStage(operation.get());
    } catch (BlackboardException refusal) {
      return CompletableFuture.failedStage(refusal);
    }
  }

  static <T> CompletionStage<T> refused() {
    return CompletableFuture.failedStage(
        new BlackboardException(Reason.CLOSED, "the blackboard is closed"));
  }
}
