package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.key.KeyGlob;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber's way through the log.
 *
 * <p>Events come by two ways: pushed, which is fast and may lose any of them, and read from the
 * log, which loses none. Each event names its predecessor. While the subscriber keeps up, a pushed
 * event that follows the last one taken is taken; one that does not, or for which the buffer has no
 * room, makes the subscription fall <em>behind</em>. From then on pushes only say that there is
 * more, and the log is read whenever half of the buffer is free, until a read finds the end of the
 * log and no later push is known. So nobody waits for a slow subscriber, memory is bounded, and
 * positions only grow.
 *
 * <p>An event read from the log that does not follow the last one taken means that the log has been
 * trimmed beyond it or has lost events: the subscriber is told, it cannot be mended here.
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
    record Read(Position after, int limit, Position expected) implements Step {}

    record Deliver(LoggedEvent event) implements Step {}

    record End(Optional<Throwable> failure) implements Step {}

    record Rest() implements Step {}
  }

  private final EventLog log;
  private final int capacity;
  private final Executor executor;
  private final KeyGlob keys;
  private final Flow.Subscriber<? super BlackboardEvent> subscriber;
  private final Consumer<FeedSubscription> whenEnded;

  private final Queue<LoggedEvent> buffer = new ArrayDeque<>();
  private boolean established;
  private boolean begun;

  /** The last event taken, matching or not; the next one must name it if {@link #linked}. */
  private Position last = Position.BEGINNING;

  private boolean linked;

  /** The newest position that a push or a head has told of. */
  private Position seen = Position.BEGINNING;

  private boolean behind = true;
  private boolean reading;

  /** A read has failed: the next push or check tries again. */
  private boolean stalled;

  private long demand;
  private boolean working;
  private boolean ending;
  private boolean ended;
  private Optional<Throwable> failure = Optional.empty();

  FeedSubscription(
      EventLog log,
      int capacity,
      Executor executor,
      KeyGlob keys,
      Flow.Subscriber<? super BlackboardEvent> subscriber,
      Consumer<FeedSubscription> whenEnded) {
    this.log = log;
    this.capacity = capacity;
    this.executor = executor;
    this.keys = keys;
    this.subscriber = subscriber;
    this.whenEnded = whenEnded;
  }

  synchronized void establish(Position start, boolean mustFollow) {
    last = start;
    linked = mustFollow;
    established = true;
    wake();
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
    if (!behind && event.position().compareTo(last) > 0) {
      if (buffer.size() < capacity && (!linked || event.previous().equals(last))) {
        take(event);
      } else {
        behind = true;
      }
    }
    wake();
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
    whenEnded.accept(this);
  }

  private void see(Position position) {
    if (position.compareTo(seen) > 0) {
      seen = position;
    }
  }

  private void take(LoggedEvent event) {
    last = event.position();
    linked = true;
    if (event.key().map(keys::matches).orElse(true)) {
      buffer.add(event);
    }
  }

  private synchronized void onRead(Step.Read read, EventLog.Page page, Throwable problem) {
    reading = false;
    if (ending) {
      return;
    }
    if (problem != null) {
      stalled = true;
      LOG.debug("cannot read events after {}: {}", last, problem.toString());
      return;
    }
    for (LoggedEvent event : page.events()) {
      if (linked && !event.previous().equals(last)) {
        fail(lost("the event after " + last + " is gone, the next one is at " + event.position()));
        return;
      }
      take(event);
    }
    // What was known of before the read was asked for must have been found by it.
    if (read.expected().compareTo(last) > 0 && page.end()) {
      fail(lost("the events after " + last + " are gone, up to " + read.expected()));
      return;
    }
    behind = !page.end() || seen.compareTo(last) > 0;
    wake();
  }

  private static BlackboardException lost(String what) {
    return new BlackboardException(
        "the stored events do not reach back far enough, or some were lost: " + what, null, false);
  }

  /** Called under the lock. */
  private void wake() {
    if (!working && !ended) {
      working = true;
      executor.execute(this::work);
    }
  }

  private void work() {
    while (true) {
      switch (next()) {
        case Step.Begin begin -> subscriber.onSubscribe(this);
        case Step.Read read ->
            log.read(read.after(), read.limit(), Long.MAX_VALUE)
                .whenComplete((page, problem) -> onRead(read, page, problem));
        case Step.Deliver deliver -> deliver(deliver.event());
        case Step.End end -> {
          whenEnded.accept(this);
          end.failure().ifPresentOrElse(subscriber::onError, subscriber::onComplete);
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
      int free = capacity - buffer.size();
      if (behind && !reading && !stalled && !ending && free * 2 >= capacity) {
        reading = true;
        return new Step.Read(last, free, seen);
      }
      if (demand > 0 && !buffer.isEmpty()) {
        demand = demand == Long.MAX_VALUE ? demand : demand - 1;
        return new Step.Deliver(buffer.remove());
      }
    }
    working = false;
    return new Step.Rest();
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
                "the event at " + event.position() + " cannot be read", unreadable, false));
      }
      return;
    }
    try {
      subscriber.onNext(decoded);
    } catch (RuntimeException broken) {
      LOG.error("a subscriber failed at {} and is cancelled", event.position(), broken);
      cancel();
    }
  }
}
