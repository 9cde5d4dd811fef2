package dev.colony.agent.author;

import dev.colony.blackboard.BlackboardEvent;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

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
}
