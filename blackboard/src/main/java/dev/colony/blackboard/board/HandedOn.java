package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.BoardCounters.Count;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Flow;

/**
 * Hands on the events that the subscriber may see, and counts them. One that is left out is made
 * good by demand for another, so that the subscriber gets as many as it asked for.
 */
final class HandedOn implements BlackboardSubscriber {

  private final Flow.Subscriber<? super BlackboardEvent> target;
  private final BoardPermissions gate;
  private final InstantSource clock;
  private final BlackboardListener listener;
  private Flow.Subscription subscription;

  HandedOn(
      Flow.Subscriber<? super BlackboardEvent> target,
      BoardPermissions gate,
      InstantSource clock,
      BlackboardListener listener) {
    this.target = target;
    this.gate = gate;
    this.clock = clock;
    this.listener = listener;
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
      Duration lag = Duration.between(event.at(), clock.instant());
      listener.handedOn(lag.isNegative() ? Duration.ZERO : lag);
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
