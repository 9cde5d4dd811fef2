package dev.colony.client;

import dev.colony.agent.AgentRun;
import dev.colony.blackboard.BlackboardEvent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** Completes a future with the first result that a subscription delivers. */
final class ResultListener implements Flow.Subscriber<BlackboardEvent> {

  private final RunPlace place;
  private final CompletableFuture<AgentRun> result;
  private final Consumer<Throwable> unheard;
  private Flow.Subscription subscription;
  private boolean cancelled;

  /**
   * @param unheard told where the subscription fails
   */
  ResultListener(RunPlace place, CompletableFuture<AgentRun> result, Consumer<Throwable> unheard) {
    this.place = place;
    this.result = result;
    this.unheard = unheard;
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
    unheard.accept(failure);
  }

  @Override
  public void onComplete() {
    // The blackboard is closed; the poll reports it.
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
