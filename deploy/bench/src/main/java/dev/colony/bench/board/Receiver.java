package dev.colony.bench.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Position;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * A subscriber that takes the events as fast as they come, notes that they have, and says now and
 * then how far it is.
 */
final class Receiver implements BlackboardSubscriber {

  private static final int AHEAD = 256;
  private static final int EVENTS_PER_MARK = 1_024;

  private final Arrivals arrivals;
  private final LongAdder fellBehind;
  private final Consumer<Position> mark;
  private final CompletableFuture<Void> established = new CompletableFuture<>();
  private volatile Flow.Subscription subscription;
  private int sinceRequest;
  private int sinceMark;

  /**
   * @param fellBehind counts how often it did not keep up
   * @param mark told each thousand events or so how far it is
   */
  Receiver(Arrivals arrivals, LongAdder fellBehind, Consumer<Position> mark) {
    this.arrivals = arrivals;
    this.fellBehind = fellBehind;
    this.mark = mark;
  }

  /** Completes when the subscription is there; fails if it cannot be. */
  CompletableFuture<Void> established() {
    return established;
  }

  void cancel() {
    subscription.cancel();
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    subscription = newSubscription;
    newSubscription.request(2 * AHEAD);
    established.complete(null);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Written written) {
      arrivals.arrived(NumberedValue.number(written.value()));
    }
    if (++sinceRequest == AHEAD) {
      sinceRequest = 0;
      subscription.request(AHEAD);
    }
    if (++sinceMark == EVENTS_PER_MARK) {
      sinceMark = 0;
      mark.accept(event.position());
    }
  }

  @Override
  public void onBehind(Position last) {
    fellBehind.increment();
  }

  /** What has not arrived counts as lost. */
  @Override
  public void onError(Throwable failure) {
    established.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    established.complete(null);
  }
}
