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
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Events on their way into a queue. Where the queue is full they wait on the blackboard: none is
 * lost, and no other subscriber is stalled. Thread-safe.
 */
public final class EventStream implements Flow.Subscriber<BlackboardEvent>, AutoCloseable {

  /**
   * How often a full queue is tried again after looking whether its subscriber still wants events.
   */
  private static final long LOOK_MILLIS = 50;

  private final BlockingQueue<BlackboardEvent> queue;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  EventStream(BlockingQueue<BlackboardEvent> queue) {
    this.queue = queue;
  }

  /**
   * Completes when no further event will come, after {@link #close} or with the blackboard; fails
   * as {@link dev.colony.blackboard.Blackboard#subscribe} does.
   */
  public CompletionStage<Void> ended() {
    return ended.minimalCompletionStage();
  }

  /** Ends it; what stands in the queue stays there. */
  @Override
  public void close() {
    ended.complete(null);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    ended.whenComplete((done, failure) -> subscription.cancel());
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    try {
      boolean taken = false;
      while (!taken && !ended.isDone()) {
        taken = queue.offer(event, LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException leaving) {
      Thread.currentThread().interrupt();
      ended.completeExceptionally(leaving);
    }
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    ended.complete(null);
  }

  /** What one capability listens to by itself; all of it ends with the capability. Thread-safe. */
  static final class Subscriptions {

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

    /** Takes the value of the first write, and ends its subscription as soon as there is one. */
    static final class FirstWrite<T> implements Flow.Subscriber<BlackboardEvent> {

      private final Function<BlackboardEvent.Written, T> reading;
      private final CompletableFuture<T> value = new CompletableFuture<>();
      private final CompletableFuture<Void> established = new CompletableFuture<>();

      FirstWrite(Function<BlackboardEvent.Written, T> reading) {
        this.reading = reading;
      }

      /** Completes when every write from then on is seen. */
      CompletionStage<Void> established() {
        return established;
      }

      /** A caller that completes or cancels it ends the subscription. */
      CompletableFuture<T> value() {
        return value;
      }

      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        value.whenComplete((done, failure) -> subscription.cancel());
        subscription.request(Long.MAX_VALUE);
        established.complete(null);
      }

      @Override
      public void onNext(BlackboardEvent event) {
        if (event instanceof BlackboardEvent.Written written) {
          try {
            value.complete(reading.apply(written));
          } catch (RuntimeException unreadable) {
            value.completeExceptionally(unreadable);
          }
        }
      }

      @Override
      public void onError(Throwable failure) {
        value.completeExceptionally(failure);
      }

      @Override
      public void onComplete() {
        value.cancel(false);
      }
    }
  }
}
