package dev.colony.agent.client;

import dev.colony.agent.AgentRun;
import dev.colony.blackboard.BlackboardEvent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/** Completes a future with the first result that a subscription delivers. */
final class ResultListener implements Flow.Subscriber<BlackboardEvent> {

  private final RunPlace place;
  private final CompletableFuture<AgentRun> result;
  private Flow.Subscription subscription;
  private boolean cancelled;

  ResultListener(RunPlace place, CompletableFuture<AgentRun> result) {
    this.place = place;
    this.result = result;
  }

  @Override
  public void onSubscribe(Flow.Subscription established) {
    boolean late;
    synchronized (this) {
      subscription = established;
      late = cancelled;
    }
    if (late) {
      established.cancel();
    } else {
      established.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Written written) {
      result.complete(place.result(written.value()));
    }
  }

  @Override
  public void onError(Throwable failure) {
    // The poll goes on reading, and says what is wrong if it cannot.
  }

  @Override
  public void onComplete() {
    // The blackboard is closed; the poll says so.
  }

  void cancel() {
    Flow.Subscription established;
    synchronized (this) {
      cancelled = true;
      established = subscription;
    }
    if (established != null) {
      established.cancel();
    }
  }
}
