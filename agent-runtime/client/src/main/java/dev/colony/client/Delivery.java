package dev.colony.client;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Flow;

/**
 * Hands what is ready to a subscriber, as it asks for it, and last the end. Thread-safe; the
 * subscriber is called by one thread at a time and never under the lock.
 *
 * <p>Source: Reactive Streams, the rules of a subscription.
 */
public final class Delivery<T> {

  private final Flow.Subscriber<? super T> target;
  private final Queue<T> ready = new ArrayDeque<>();
  private long demand;
  private Optional<Throwable> failure = Optional.empty();
  private boolean ending;
  private boolean delivering;
  private boolean ended;

  public Delivery(Flow.Subscriber<? super T> target) {
    this.target = target;
  }

  /** The subscriber asks for more. */
  public void ask(long n) {
    synchronized (this) {
      demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
    }
    deliver();
  }

  /** Makes it ready; {@link #deliver} hands it over. */
  public synchronized void put(T item) {
    if (!ending && !ended) {
      ready.add(item);
    }
  }

  /**
   * Ends the stream after the items that are ready; only the first call counts. The subscriber is
   * told by {@link #deliver}.
   */
  public synchronized void end(Optional<Throwable> why) {
    if (!ending) {
      ending = true;
      failure = why;
    }
  }

  public synchronized void cancel() {
    ended = true;
    ready.clear();
  }

  /** Whether the subscriber has asked for what is not there yet. */
  public synchronized boolean wanting() {
    return demand > 0 && ready.isEmpty() && !ending && !ended;
  }

  /** What was asked for and is neither handed over nor ready. */
  public synchronized long unmet() {
    return demand - ready.size();
  }

  /** Whether nothing is taken any more. */
  public synchronized boolean over() {
    return ending || ended;
  }

  /** Hands over what is ready, as far as it is asked for. */
  public void deliver() {
    while (true) {
      T next = null;
      Optional<Throwable> problem = Optional.empty();
      synchronized (this) {
        if (delivering || ended) {
          return;
        }
        if (!ready.isEmpty()) {
          if (demand == 0) {
            return;
          }
          demand = demand == Long.MAX_VALUE ? demand : demand - 1;
          next = ready.remove();
        } else if (ending) {
          ended = true;
          problem = failure;
        } else {
          return;
        }
        delivering = true;
      }
      if (next != null) {
        target.onNext(next);
      } else {
        problem.ifPresentOrElse(target::onError, target::onComplete);
      }
      synchronized (this) {
        delivering = false;
      }
    }
  }
}
