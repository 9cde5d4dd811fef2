package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.key.KeyGlob;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** The subscriptions of one process to one scope. Thread-safe; no call blocks. */
public final class Feed {

  private final EventLog log;
  private final int buffer;
  private final Executor executor;
  private final Consumer<Feed> whenEmpty;
  private final Set<FeedSubscription> subscriptions = ConcurrentHashMap.newKeySet();

  /**
   * @param buffer how many events wait in memory for one subscriber, at least 1
   * @param executor where subscribers are called, each by one task at a time; they may block it
   * @param whenEmpty called each time when a subscription has ended and none is left
   */
  public Feed(EventLog log, int buffer, Executor executor, Consumer<Feed> whenEmpty) {
    this.log = log;
    this.buffer = buffer;
    this.executor = executor;
    this.whenEmpty = whenEmpty;
  }

  /**
   * Adds a subscriber, who is called with {@code onSubscribe} once the subscription is established.
   * The position that "now" stands for is asked for before this method returns.
   *
   * @param pushing completes when events are being pushed; fails where that cannot be had
   */
  public void subscribe(
      KeyGlob keys,
      SubscribeFrom from,
      Flow.Subscriber<? super BlackboardEvent> subscriber,
      CompletionStage<?> pushing) {
    FeedSubscription subscription =
        new FeedSubscription(log, buffer, executor, keys, subscriber, this::ended);
    subscriptions.add(subscription);
    CompletionStage<Position> start =
        switch (from) {
          case SubscribeFrom.Now now -> log.head();
          case SubscribeFrom.After after -> CompletableFuture.completedStage(after.position());
          case SubscribeFrom.Durable durable -> log.acknowledged(durable);
        };
    // From the beginning of what is retained, the first event may have any predecessor.
    boolean linked =
        !(from instanceof SubscribeFrom.After after && after.position().equals(Position.BEGINNING));
    start
        .thenCombine(pushing, (position, ready) -> position)
        .whenComplete((position, failure) -> {
          if (failure == null) {
            subscription.establish(position, linked);
            check();
          } else {
            subscription.fail(cause(failure));
          }
        });
  }

  /** Takes an event that was just stored; the order of calls need not be that of the log. */
  public void push(LoggedEvent event) {
    subscriptions.forEach(subscription -> subscription.push(event));
  }

  /** Compares every subscription with the head of the log and lets it read what it lacks. */
  public void check() {
    // Taken before the head is asked for: a head before it then means that the log has lost events.
    Map<FeedSubscription, Position> before = new LinkedHashMap<>();
    subscriptions.forEach(
        subscription -> subscription.position().ifPresent(p -> before.put(subscription, p)));
    if (!before.isEmpty()) {
      log.head()
          .thenAccept(
              head -> before.forEach((subscription, known) -> subscription.checked(known, head)));
    }
  }

  public boolean isEmpty() {
    return subscriptions.isEmpty();
  }

  /** Completes all subscriptions. */
  public void close() {
    subscriptions.forEach(FeedSubscription::complete);
  }

  private void ended(FeedSubscription subscription) {
    if (subscriptions.remove(subscription) && subscriptions.isEmpty()) {
      whenEmpty.accept(this);
    }
  }

  private static BlackboardException cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof BlackboardException known
        ? known
        : new BlackboardException("cannot subscribe: " + cause, cause, false);
  }
}
