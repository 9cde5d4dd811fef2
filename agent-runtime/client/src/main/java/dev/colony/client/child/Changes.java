package dev.colony.client.child;

import dev.colony.blackboard.BlackboardEvent;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Says that it is time to look again: after an event, once when it begins to hear of events, and,
 * because a connection may be lost, after some time in any case.
 */
final class Changes implements Flow.Subscriber<BlackboardEvent>, AutoCloseable {

  private final Semaphore heard = new Semaphore(0);
  private Flow.Subscription subscription;
  private boolean closed;

  /** Returns when something has changed since it returned last, or the time is over. */
  void await(long nanos) throws InterruptedException {
    if (heard.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
      heard.drainPermits();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    boolean late;
    synchronized (this) {
      subscription = established;
      late = closed;
    }
    if (late) {
      established.cancel();
    } else {
      established.request(Long.MAX_VALUE);
      heard.release();
    }
  }

  @Override
  public void onNext(BlackboardEvent event) {
    heard.release();
  }

  @Override
  public void onError(Throwable failure) {
    // The next read of the directory, made without an event, fails with the reason.
  }

  @Override
  public void onComplete() {
    // The blackboard is closed: the next read of the directory fails with that.
  }

  @Override
  public void close() {
    Flow.Subscription established;
    synchronized (this) {
      closed = true;
      established = subscription;
    }
    if (established != null) {
      established.cancel();
    }
  }
}
