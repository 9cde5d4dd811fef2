package dev.colony.agent.author;

import dev.colony.blackboard.BlackboardEvent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** Takes the value of the first write, and ends its subscription as soon as there is one. */
final class FirstWrite<T> implements Flow.Subscriber<BlackboardEvent> {

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
