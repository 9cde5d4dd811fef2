package dev.colony.blackboard;

import java.util.concurrent.Flow;

/** A subscriber that runs something long at each event. */
record Blocking(Runnable each) implements Flow.Subscriber<BlackboardEvent> {

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    each.run();
  }

  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onComplete() {}
}
