package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.SubscribeFrom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/**
 * A run as it shows on the blackboard. The result is awaited by its event, which a subscription
 * delivers from the request's position on, so that it cannot be missed; for a run that nobody asked
 * for, and after a lost connection, a slow poll reads the key itself.
 */
final class BlackboardRun implements RunHandle {

  private final RunPlace place;
  private final Blackboard board;
  private final Duration poll;
  private final CompletionStage<RunOrigin> origin;
  private final CompletableFuture<AgentRun> result = new CompletableFuture<>();
  private final ResultListener listener;

  /**
   * @param origin fails with {@link AgentException} or as the blackboard does
   */
  BlackboardRun(
      RunPlace place,
      Blackboard board,
      CompletionStage<RunOrigin> origin,
      Optional<Duration> timeout,
      Duration poll) {
    this.place = place;
    this.board = board;
    this.poll = poll;
    this.listener = new ResultListener(place, result);
    this.origin =
        origin.whenComplete((found, failure) -> {
          if (failure == null) {
            await(found);
          } else {
            result.completeExceptionally(cause(failure));
          }
        });
    timeout.ifPresent(longest -> RunTimeout.set(result, place, longest));
    result.whenComplete((run, failure) -> listener.cancel());
  }

  @Override
  public RunId runId() {
    return place.runId();
  }

  @Override
  public CompletionStage<Void> stored() {
    return origin.thenAccept(found -> {});
  }

  @Override
  public CompletionStage<AgentRun> result() {
    return result.minimalCompletionStage();
  }

  @Override
  public Flow.Publisher<RunProgress> events() {
    return new ProgressEvents(place, board, origin, result, Optional.empty(), true);
  }

  @Override
  public Flow.Publisher<RunProgress> events(String token) {
    StreamToken after = StreamToken.parse(token, place);
    return new ProgressEvents(place, board, origin, result, Optional.of(after), true);
  }

  @Override
  public Flow.Publisher<RunProgress> retained() {
    return new ProgressEvents(place, board, origin, result, Optional.empty(), false);
  }

  @Override
  public Flow.Publisher<RunProgress> retained(String token) {
    StreamToken after = StreamToken.parse(token, place);
    return new ProgressEvents(place, board, origin, result, Optional.of(after), false);
  }

  private void await(RunOrigin found) {
    if (found.result().isPresent()) {
      result.complete(place.result(found.result().get().value()));
      return;
    }
    SubscribeFrom from =
        found.request().<SubscribeFrom>map(SubscribeFrom::after).orElseGet(SubscribeFrom::now);
    board.subscribe(place.resultKey(), from).subscribe(listener);
    if (found.request().isPresent()) {
      pollLater();
    } else {
      read();
    }
  }

  private void read() {
    board
        .read(place.resultKey())
        .whenComplete((entry, failure) -> {
          if (failure == null && entry.isPresent()) {
            result.complete(place.result(entry.get().value()));
          } else if (failure == null || passing(failure)) {
            pollLater();
          } else {
            result.completeExceptionally(notRead(failure));
          }
        });
  }

  private void pollLater() {
    if (!result.isDone()) {
      Executor later = CompletableFuture.delayedExecutor(poll.toMillis(), TimeUnit.MILLISECONDS);
      later.execute(() -> {
        if (!result.isDone()) {
          read();
        }
      });
    }
  }

  private AgentException notRead(Throwable failure) {
    return new AgentException(
        "the result of run " + place.runId() + " cannot be read: " + cause(failure).getMessage(),
        cause(failure),
        false);
  }

  static boolean passing(Throwable failure) {
    return cause(failure) instanceof BlackboardException board && board.retryable();
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
