package dev.colony.agent.author;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.SubscribeFrom;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** What one capability listens to by itself; all of it ends with the capability. Thread-safe. */
final class Subscriptions {

  /** A capability that has more has forgotten to end them. */
  static final int MOST = 256;

  private final Blackboard board;
  private final Set<Runnable> endings = new HashSet<>();
  private boolean closed;

  Subscriptions(Blackboard board) {
    this.board = board;
  }

  /**
   * The value of the first write that passes.
   *
   * @param there what was written before, asked for once nothing is missed any more
   */
  <T> CompletableFuture<T> first(
      EventFilter filter,
      Function<BlackboardEvent.Written, T> reading,
      Supplier<CompletionStage<Optional<T>>> there) {
    FirstWrite<T> first = new FirstWrite<>(reading);
    add(() -> first.value().cancel(false), first.value());
    board.subscribe(filter, SubscribeFrom.now()).subscribe(first);
    // Asked for before it is established, a write of another process could fall in between.
    first
        .established()
        .thenCompose(listening -> there.get())
        .whenComplete((found, failure) -> {
          if (failure != null) {
            first.value().completeExceptionally(failure);
          } else {
            found.ifPresent(first.value()::complete);
          }
        });
    return first.value();
  }

  EventStream into(BlockingQueue<BlackboardEvent> queue, EventFilter filter, SubscribeFrom from) {
    EventStream stream = new EventStream(queue);
    add(stream::close, stream.ended());
    board.subscribe(filter, from).subscribe(stream);
    return stream;
  }

  private void add(Runnable ending, CompletionStage<?> end) {
    synchronized (this) {
      if (closed || endings.size() == MOST) {
        throw AgentException.refused(
            closed
                ? "the capability has been closed"
                : "the capability listens " + MOST + " times: end what is no longer needed");
      }
      endings.add(ending);
    }
    end.whenComplete((done, failure) -> {
      synchronized (this) {
        endings.remove(ending);
      }
    });
  }

  /** How many there are. */
  synchronized int open() {
    return endings.size();
  }

  /** Ends all; there are none afterwards. */
  void close() {
    List<Runnable> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(endings);
    }
    all.forEach(Runnable::run);
  }
}
