package dev.colony.agent.client;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/**
 * Acts on each element of a stream: the events of a run, of a blackboard. One is asked for at a
 * time, so that a slow action is never overrun.
 */
public final class OnEach<T> implements Flow.Subscriber<T> {

  private final Consumer<? super T> action;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile Flow.Subscription subscription;

  private OnEach(Consumer<? super T> action) {
    this.action = Objects.requireNonNull(action, "action");
  }

  /**
   * Subscribes.
   *
   * @param action called for one element after the other, on the stream's threads
   * @return completes with the stream, and fails as it does or with what the action throws, which
   *     ends the subscription; cancelling it ends the subscription too
   */
  public static <T> CompletableFuture<Void> of(
      Flow.Publisher<? extends T> stream, Consumer<? super T> action) {
    OnEach<T> each = new OnEach<>(action);
    stream.subscribe(each);
    return each.end;
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    subscription = established;
    // A caller that completes or cancels the future wants nothing more.
    end.whenComplete((done, failure) -> established.cancel());
    if (!end.isDone()) {
      established.request(1);
    }
  }

  @Override
  public void onNext(T element) {
    if (end.isDone()) {
      return;
    }
    try {
      action.accept(element);
    } catch (RuntimeException | Error failure) {
      end.completeExceptionally(failure);
      return;
    }
    if (!end.isDone()) {
      subscription.request(1);
    }
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }
}
