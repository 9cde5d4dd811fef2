package dev.colony.blackboard.fault;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A subscriber that keeps what it gets, at the pace it is given. */
final class Follower implements BlackboardSubscriber {

  private final Consumer<BlackboardEvent> each;
  private final CompletableFuture<Flow.Subscription> established = new CompletableFuture<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final List<BlackboardEvent> events = new ArrayList<>();
  private volatile Duration pace;
  private boolean cancelled;
  private int behind;

  /**
   * @param each is called under the lock and must not block
   */
  private Follower(Duration pace, Consumer<BlackboardEvent> each) {
    this.pace = pace;
    this.each = each;
  }

  static Follower quick() {
    return new Follower(Duration.ZERO, event -> {});
  }

  /**
   * @param pace what it takes for each event
   */
  static Follower slow(Duration pace) {
    return new Follower(pace, event -> {});
  }

  static Follower calling(Consumer<BlackboardEvent> each) {
    return new Follower(Duration.ZERO, each);
  }

  /** Subscribes, and waits until that is established. */
  Follower to(Flow.Publisher<BlackboardEvent> publisher) {
    publisher.subscribe(this);
    established.orTimeout(Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    return this;
  }

  /** From now on as quick as any. */
  void hurry() {
    pace = Duration.ZERO;
  }

  /** Nothing is kept after this, and no subscriber is called. */
  void cancel() {
    synchronized (this) {
      cancelled = true;
    }
    established.join().cancel();
  }

  synchronized List<BlackboardEvent> events() {
    return List.copyOf(events);
  }

  synchronized boolean has(Position position) {
    return !events.isEmpty() && events.getLast().position().compareTo(position) >= 0;
  }

  /** How often it was told that it is behind. */
  synchronized int behind() {
    return behind;
  }

  /** How it ended, which an established one should not. */
  CompletableFuture<Void> end() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    established.complete(subscription);
    subscription.request(1);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    synchronized (this) {
      if (cancelled) {
        return;
      }
      events.add(event);
      each.accept(event);
    }
    if (!pace.isZero()) {
      LockSupport.parkNanos(pace.toNanos());
    }
    established.join().request(1);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }

  @Override
  public synchronized void onBehind(Position last) {
    behind++;
  }
}
