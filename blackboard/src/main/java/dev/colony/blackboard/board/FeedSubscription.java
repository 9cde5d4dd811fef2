package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.FeedBuffer.HeldPushes;
import dev.colony.blackboard.board.ScopeEventLog.FilterMatch;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.util.Optional;
import java.util.concurrent.Flow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber's way through the log.
 *
 * <p>Events come by two ways: pushed, which is fast and may lose any of them, and read from the
 * log, which loses none. Each event names its predecessor. While the subscriber keeps up, a pushed
 * event that follows the last one taken is taken; one that does not, or for which the buffer has no
 * room, makes the subscription fall <em>behind</em>. From then on the log is read whenever half of
 * the buffer is free, until a read finds its end and what was pushed during that read follows it.
 * Other pushes only say that there is more. So no other waits for a slow subscriber, memory is
 * bounded, and positions only grow. An event that the filter keeps out takes no room and is never
 * decoded.
 *
 * <p>An event read from the log that does not follow the last one taken means that the log has been
 * trimmed beyond it or has lost events: the subscriber is told, it cannot be mended here.
 *
 * <p>That it fell behind is told at once where a push shows it, and otherwise only when a read has
 * filled the buffer and not found the end: what one read mends is not worth a log line, least of
 * all the reading of what was stored before the subscription began.
 *
 * <p>One task at a time ({@link #work}) reads and calls the subscriber; everything else changes the
 * state under the lock and wakes that task. Callbacks are never made under the lock.
 */
final class FeedSubscription implements Flow.Subscription {

  private static final Logger LOG = LoggerFactory.getLogger(FeedSubscription.class);

  private sealed interface Step {
    record Begin() implements Step {}

    /**
     * @param expected the newest position known of when the read is made
     */
    record Read(Position after, int limit, long maxBytes, Position expected) implements Step {}

    record Deliver(FeedBuffer.Item item) implements Step {}

    record End(Optional<Throwable> failure) implements Step {}

    record Rest() implements Step {}
  }

  private final Feed feed;
  private final EventFilter filter;
  private final Flow.Subscriber<? super BlackboardEvent> subscriber;

  private final FeedBuffer buffer;
  private boolean established;
  private boolean begun;

  /** The last event taken, matching or not; the next one must name it if {@link #linked}. */
  private Position last = Position.BEGINNING;

  private boolean linked;

  /** What was stored when the subscription began reaches up to here. */
  private Position before = Position.BEGINNING;

  /** The newest position that a push or a head has told of. */
  private Position seen = Position.BEGINNING;

  private boolean behind = true;

  /** The subscriber is being told that it is behind, and not yet that it has caught up. */
  private boolean told;

  private boolean reading;

  /** What was pushed during a read, which may have been made before. */
  private final HeldPushes held;

  /** A read has failed: the next push or check tries again. */
  private boolean stalled;

  private long demand;
  private boolean working;
  private boolean ending;
  private boolean ended;
  private Optional<Throwable> failure = Optional.empty();

  FeedSubscription(
      Feed feed, EventFilter filter, Flow.Subscriber<? super BlackboardEvent> subscriber) {
    this.feed = feed;
    this.filter = filter;
    this.subscriber = subscriber;
    this.buffer = new FeedBuffer(feed.limits());
    this.held = new HeldPushes(feed.limits());
  }

  synchronized void establish(Position start, boolean mustFollow, Position head) {
    last = start;
    linked = mustFollow;
    before = head;
    established = true;
    checked(start, head);
  }

  /** Ends it with an error, after what is buffered. */
  synchronized void fail(Throwable reason) {
    if (!ending) {
      ending = true;
      failure = Optional.of(reason);
      wake();
    }
  }

  /** Ends it at once. */
  synchronized void complete() {
    ending = true;
    buffer.clear();
    wake();
  }

  /** The last event taken, once established. */
  synchronized Optional<Position> position() {
    return established && !ending ? Optional.of(last) : Optional.empty();
  }

  synchronized void push(LoggedEvent event) {
    if (!established || ending) {
      return;
    }
    see(event.position());
    stalled = false;
    if (!behind) {
      if (!follow(event)) {
        behind = true;
        tellBehind();
      }
    } else if (reading) {
      held.add(event);
    }
    wake();
  }

  /** Takes a pushed event unless it is known; false if it does not follow or has no room. */
  private boolean follow(LoggedEvent event) {
    if (event.position().compareTo(last) <= 0) {
      return true;
    }
    boolean wanted = FilterMatch.passes(filter, event);
    if ((linked && !event.previous().equals(last)) || (wanted && !buffer.takes(event))) {
      return false;
    }
    take(event, wanted);
    return true;
  }

  /**
   * @param known what {@link #position} was before the head was asked for
   */
  synchronized void checked(Position known, Position head) {
    if (ending) {
      return;
    }
    if (head.compareTo(known) < 0) {
      fail(lost("its newest event is at " + head + ", before this subscriber's " + known));
      return;
    }
    see(head);
    stalled = false;
    if (head.compareTo(last) > 0) {
      // Perhaps its push is only under way; a read does no harm.
      behind = true;
    }
    wake();
  }

  @Override
  public synchronized void request(long n) {
    if (n <= 0) {
      buffer.clear();
      fail(new IllegalArgumentException("demand must be more than 0, but is " + n));
      return;
    }
    demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
    wake();
  }

  @Override
  public void cancel() {
    synchronized (this) {
      ending = true;
      ended = true;
      buffer.clear();
    }
    feed.ended(this);
  }

  private void see(Position position) {
    if (position.compareTo(seen) > 0) {
      seen = position;
    }
  }

  private void take(LoggedEvent event, boolean wanted) {
    last = event.position();
    linked = true;
    if (wanted) {
      buffer.add(new FeedBuffer.Item.Event(event));
    }
  }

  private void tellBehind() {
    if (!told && subscriber instanceof BlackboardSubscriber) {
      told = true;
      buffer.add(new FeedBuffer.Item.Behind(last));
    }
  }

  private void tellCaughtUp() {
    if (told) {
      told = false;
      buffer.add(new FeedBuffer.Item.CaughtUp());
    }
  }

  private synchronized void onRead(Step.Read read, ScopeEventLog.Page page, Throwable problem) {
    reading = false;
    if (ending) {
      held.clear();
      return;
    }
    if (problem != null) {
      held.clear();
      BlackboardException reason = Feed.cause(problem);
      if (lasts(reason.reason())) {
        fail(reason);
        return;
      }
      stalled = true;
      LOG.debug("cannot read events after {}: {}", last, problem.toString());
      return;
    }
    for (LoggedEvent event : page.events()) {
      if (linked && !event.previous().equals(last)) {
        fail(lost("the event after " + last + " is gone, the next one is at " + event.position()));
        return;
      }
      take(event, FilterMatch.passes(filter, event));
    }
    // What was known of before the read was asked for must have been found by it.
    if (read.expected().compareTo(last) > 0 && page.end()) {
      fail(lost("the events after " + last + " are gone, up to " + read.expected()));
      return;
    }
    if (page.end()) {
      held.drain(this::follow);
    }
    boolean knowsOfMore = seen.compareTo(last) > 0;
    behind = knowsOfMore || !page.end();
    if (!behind) {
      tellCaughtUp();
    } else if (knowsOfMore && last.compareTo(before) >= 0 && !buffer.halfFree()) {
      tellBehind();
    }
    wake();
  }

  /** Whether another read would fail as well: the event is gone, or lies where this cannot read. */
  private static boolean lasts(Reason reason) {
    return reason == Reason.EVENTS_LOST || reason == Reason.MISCONFIGURED;
  }

  private static BlackboardException lost(String what) {
    return new BlackboardException(
        Reason.EVENTS_LOST,
        "events that this subscriber has not had are no longer stored: "
            + what
            + "; read the entries and subscribe anew, and if the server has lost nothing, raise"
            + " colony.blackboard.events");
  }

  /** Called under the lock. */
  private void wake() {
    if (!working && hasWork()) {
      working = true;
      feed.executor().execute(this::work);
    }
  }

  private boolean hasWork() {
    return !ended
        && (begun
            ? (ending && buffer.isEmpty()) || mayRead() || buffer.ready(demand)
            : established || ending);
  }

  private boolean mayRead() {
    return behind && !reading && !stalled && !ending && buffer.halfFree();
  }

  private void work() {
    while (true) {
      switch (next()) {
        case Step.Begin begin -> call(() -> subscriber.onSubscribe(this));
        case Step.Read read ->
            feed.log()
                .read(read.after(), read.limit(), read.maxBytes())
                .whenComplete((page, problem) -> onRead(read, page, problem));
        case Step.Deliver deliver -> deliver(deliver.item());
        case Step.End end -> {
          feed.ended(this);
          call(() -> end.failure().ifPresentOrElse(subscriber::onError, subscriber::onComplete));
        }
        case Step.Rest rest -> {
          return;
        }
      }
    }
  }

  private synchronized Step next() {
    if (!begun && !ended && (established || ending)) {
      begun = true;
      return new Step.Begin();
    }
    if (begun && !ended) {
      if (ending && buffer.isEmpty()) {
        ended = true;
        return new Step.End(failure);
      }
      if (mayRead()) {
        reading = true;
        return new Step.Read(last, buffer.freeEvents(), buffer.freeBytes(), seen);
      }
      if (buffer.ready(demand)) {
        FeedBuffer.Item item = buffer.remove();
        if (item instanceof FeedBuffer.Item.Event && demand < Long.MAX_VALUE) {
          demand--;
        }
        return new Step.Deliver(item);
      }
    }
    working = false;
    return new Step.Rest();
  }

  private void deliver(FeedBuffer.Item item) {
    switch (item) {
      case FeedBuffer.Item.Event one -> deliver(one.event());
      case FeedBuffer.Item.Behind behindAt ->
          call(() -> ((BlackboardSubscriber) subscriber).onBehind(behindAt.last()));
      case FeedBuffer.Item.CaughtUp caughtUp ->
          call(() -> ((BlackboardSubscriber) subscriber).onCaughtUp());
    }
  }

  private void deliver(LoggedEvent event) {
    BlackboardEvent decoded;
    try {
      decoded = event.event();
    } catch (RuntimeException unreadable) {
      synchronized (this) {
        buffer.clear();
        fail(
            new BlackboardException(
                Reason.INTERNAL,
                "the event at " + event.position() + " cannot be read",
                unreadable));
      }
      return;
    }
    call(() -> subscriber.onNext(decoded));
  }

  /** A subscriber that throws has no way to go on (Reactive Streams, rule 2.13). */
  private void call(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException | Error broken) {
      LOG.error("the subscriber {} failed and is cancelled", subscriber, broken);
      cancel();
    }
  }
}
