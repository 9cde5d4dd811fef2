package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.Tally.Count;
import java.util.concurrent.Flow;

/**
 * Hands on the events that the subscriber may see, and counts them. One that is left out is made
 * good by demand for another, so that the subscriber gets as many as it asked for.
 */
final class HandedOn implements BlackboardSubscriber {

  private final Flow.Subscriber<? super BlackboardEvent> target;
  private final Gate gate;
  private Flow.Subscription subscription;

  HandedOn(Flow.Subscriber<? super BlackboardEvent> target, Gate gate) {
    this.target = target;
    this.gate = gate;
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    subscription = established;
    target.onSubscribe(established);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    if (gate.shows(event)) {
      gate.tally().add(Count.EVENTS);
      target.onNext(event);
    } else {
      subscription.request(1);
    }
  }

  @Override
  public void onBehind(Position last) {
    if (target instanceof BlackboardSubscriber told) {
      told.onBehind(last);
    }
  }

  @Override
  public void onCaughtUp() {
    if (target instanceof BlackboardSubscriber told) {
      told.onCaughtUp();
    }
  }

  @Override
  public void onError(Throwable failure) {
    target.onError(failure);
  }

  @Override
  public void onComplete() {
    target.onComplete();
  }
}
