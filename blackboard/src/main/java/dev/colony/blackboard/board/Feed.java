package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The subscriptions of one process to one scope. Thread-safe; no call blocks. An idle subscription
 * holds no thread and no buffer; with a feed of its own it takes about 250 bytes.
 */
public final class Feed {

  /**
   * @param linked whether the first event must name the position as its predecessor
   */
  private record Start(Position position, boolean linked, Position head) {}

  private record Known(FeedSubscription subscription, Position position) {}

  private final ScopeEventLog log;
  private final BlackboardSettings.Subscriber limits;
  private final Executor executor;
  private final Consumer<Feed> whenEmpty;
  private final List<FeedSubscription> subscriptions = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /**
   * @param limits what waits in memory for each subscriber
   * @param executor where subscribers are called, each by one task at a time; they may block it
   * @param whenEmpty called each time when a subscription has ended and none is left
   */
  public Feed(
      ScopeEventLog log,
      BlackboardSettings.Subscriber limits,
      Executor executor,
      Consumer<Feed> whenEmpty) {
    this.log = log;
    this.limits = limits;
    this.executor = executor;
    this.whenEmpty = whenEmpty;
  }

  /**
   * Adds a subscriber, who is called with {@code onSubscribe} once the subscription is established,
   * or once that has failed. The position that "now" stands for is asked for before this method
   * returns.
   *
   * @param pushing completes when events are being pushed; fails where that cannot be had
   */
  public void subscribe(
      EventFilter filter,
      SubscribeFrom from,
      Flow.Subscriber<? super BlackboardEvent> subscriber,
      CompletionStage<?> pushing) {
    FeedSubscription subscription = new FeedSubscription(this, filter, subscriber);
    subscriptions.add(subscription);
    if (closed) {
      subscription.fail(new BlackboardException(Reason.CLOSED, "the blackboard is closed"));
      return;
    }
    start(from)
        .thenCombine(pushing, (start, ready) -> start)
        .whenComplete((start, failure) -> {
          if (failure == null) {
            subscription.establish(start.position(), start.linked(), start.head());
          } else {
            subscription.fail(cause(failure));
          }
        });
  }

  private CompletionStage<Start> start(SubscribeFrom from) {
    return switch (from) {
      case SubscribeFrom.Now now -> log.head().thenApply(head -> new Start(head, true, head));
      case SubscribeFrom.After after -> {
        // From the beginning of what is retained, the first event may have any predecessor.
        boolean linked = !after.position().equals(Position.BEGINNING);
        yield log.head().thenApply(head -> new Start(after.position(), linked, head));
      }
      case SubscribeFrom.Durable durable ->
          log.acknowledged(durable)
              .thenCompose(last -> log.head().thenApply(head -> new Start(last, true, head)));
    };
  }

  /** Takes an event that was just stored; the order of calls need not be that of the log. */
  public void push(LoggedEvent event) {
    for (FeedSubscription subscription : subscriptions) {
      subscription.push(event);
    }
  }

  /** Compares every subscription with the head of the log and lets it read what it lacks. */
  public void check() {
    check(log::head);
  }

  /**
   * The same, with a head from elsewhere: a caller that checks many logs may ask for many heads at
   * once.
   *
   * @param head asks for it, and is called only if there is a subscription to compare it with
   */
  public void check(Supplier<CompletionStage<Position>> head) {
    // Taken before the head is asked for: a head before it then means that the log has lost events.
    List<Known> before = new ArrayList<>();
    for (FeedSubscription subscription : subscriptions) {
      subscription.position().ifPresent(last -> before.add(new Known(subscription, last)));
    }
    if (!before.isEmpty()) {
      head.get()
          .thenAccept(
              found -> before.forEach(known -> known.subscription.checked(known.position, found)));
    }
  }

  public boolean isEmpty() {
    return subscriptions.isEmpty();
  }

  /** Completes all subscriptions; those made later fail. */
  public void close() {
    closed = true;
    subscriptions.forEach(FeedSubscription::complete);
  }

  ScopeEventLog log() {
    return log;
  }

  BlackboardSettings.Subscriber limits() {
    return limits;
  }

  Executor executor() {
    return executor;
  }

  void ended(FeedSubscription subscription) {
    if (subscriptions.remove(subscription) && subscriptions.isEmpty()) {
      whenEmpty.accept(this);
    }
  }

  static BlackboardException cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof BlackboardException known
        ? known
        : new BlackboardException(Reason.INTERNAL, "cannot subscribe: " + cause, cause);
  }
}
