package dev.colony.inference;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;

/**
 * The parts of one reply on their way to a subscriber. What it has not asked for yet is held, parts
 * of one kind that follow each other joined: no more than the reply itself. Thread-safe; the
 * subscriber is called from one thread at a time.
 */
final class ReplyStream implements Subscription {

  private final Subscriber<? super InferenceDelta> subscriber;
  private final Runnable cancel;
  private final Deque<InferenceDelta> held = new ArrayDeque<>();
  private long asked;
  private boolean emitting;
  private boolean over;
  private boolean ended;
  private Optional<Throwable> failure = Optional.empty();

  /**
   * @param cancel is run where the subscriber leaves before the end
   */
  ReplyStream(Subscriber<? super InferenceDelta> subscriber, Runnable cancel) {
    this.subscriber = subscriber;
    this.cancel = cancel;
  }

  void add(InferenceDelta part) {
    synchronized (this) {
      InferenceDelta last = held.peekLast();
      if (part instanceof InferenceDelta.Asked) {
        held.removeIf(ReplyStream::ofAnAttempt);
        held.add(part);
      } else if (last != null && joined(last, part).isPresent()) {
        held.pollLast();
        held.add(joined(last, part).get());
      } else {
        held.add(part);
      }
    }
    emit();
  }

  /** Nothing follows. */
  void complete() {
    synchronized (this) {
      ended = true;
    }
    emit();
  }

  /** Nothing follows, and what is held is void. */
  void fail(Throwable cause) {
    synchronized (this) {
      held.clear();
      ended = true;
      failure = Optional.of(cause);
    }
    emit();
  }

  private static boolean ofAnAttempt(InferenceDelta part) {
    return !(part instanceof InferenceDelta.Asked);
  }

  private static Optional<InferenceDelta> joined(InferenceDelta last, InferenceDelta next) {
    return switch (last) {
      case InferenceDelta.Text one when next instanceof InferenceDelta.Text more ->
          Optional.of(new InferenceDelta.Text(one.text() + more.text()));
      case InferenceDelta.Reasoning one when next instanceof InferenceDelta.Reasoning more ->
          Optional.of(new InferenceDelta.Reasoning(one.text() + more.text()));
      case InferenceDelta.ToolArguments one
          when next instanceof InferenceDelta.ToolArguments more && one.index() == more.index() ->
          Optional.of(
              new InferenceDelta.ToolArguments(
                  one.index(), more.id(), more.name(), one.arguments() + more.arguments()));
      default -> Optional.empty();
    };
  }

  @Override
  public void request(long n) {
    synchronized (this) {
      if (n <= 0) {
        held.clear();
        ended = true;
        failure = Optional.of(new IllegalArgumentException("asked for " + n + " parts"));
      } else {
        asked = asked + n < 0 ? Long.MAX_VALUE : asked + n;
      }
    }
    emit();
    if (n <= 0) {
      cancel.run();
    }
  }

  @Override
  public void cancel() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      held.clear();
    }
    cancel.run();
  }

  private void emit() {
    synchronized (this) {
      if (emitting) {
        return;
      }
      emitting = true;
    }
    for (Optional<Runnable> next = next(); next.isPresent(); next = next()) {
      next.get().run();
    }
  }

  private synchronized Optional<Runnable> next() {
    if (!over && !held.isEmpty() && asked > 0) {
      asked--;
      InferenceDelta part = held.poll();
      return Optional.of(() -> subscriber.onNext(part));
    }
    if (!over && ended && held.isEmpty()) {
      over = true;
      return Optional.of(
          () -> failure.ifPresentOrElse(subscriber::onError, subscriber::onComplete));
    }
    emitting = false;
    return Optional.empty();
  }
}
