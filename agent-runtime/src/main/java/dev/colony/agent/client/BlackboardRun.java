package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A run as it shows on the blackboard. The result is awaited by its event, which a subscription
 * delivers from the request's position on, so that it cannot be missed; for a run of someone else,
 * whose position is unknown, and after a lost connection, a slow poll reads the key itself.
 */
final class BlackboardRun implements RunHandle {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final RunId runId;
  private final Blackboard board;
  private final Duration poll;
  private final CompletableFuture<Void> stored = new CompletableFuture<>();
  private final CompletableFuture<AgentRun> result = new CompletableFuture<>();
  private final ResultListener listener = new ResultListener(result);

  BlackboardRun(
      RunId runId,
      Blackboard board,
      CompletionStage<WriteResult> sent,
      Optional<Duration> timeout,
      Duration poll) {
    this.runId = runId;
    this.board = board;
    this.poll = poll;
    sent.whenComplete((written, failure) -> {
      if (failure == null) {
        stored.complete(null);
        await(written);
      } else {
        AgentException lost = notSent(failure);
        stored.completeExceptionally(lost);
        result.completeExceptionally(lost);
      }
    });
    timeout.ifPresent(longest ->
        CompletableFuture.delayedExecutor(longest.toMillis(), TimeUnit.MILLISECONDS)
            .execute(() -> result.completeExceptionally(tooLate(longest))));
    result.whenComplete((run, failure) -> listener.cancel());
  }

  @Override
  public RunId runId() {
    return runId;
  }

  @Override
  public CompletionStage<Void> stored() {
    return stored.minimalCompletionStage();
  }

  @Override
  public CompletionStage<AgentRun> result() {
    return result.minimalCompletionStage();
  }

  @Override
  public Flow.Publisher<RunProgress> events() {
    return new ProgressEvents(runId, board);
  }

  private void await(WriteResult written) {
    SubscribeFrom from =
        written instanceof WriteResult.Written stored
            ? SubscribeFrom.after(stored.position())
            : SubscribeFrom.now();
    board.subscribe(key(), from).subscribe(listener);
    if (written instanceof WriteResult.Written) {
      pollLater();
    } else {
      read();
    }
  }

  private void read() {
    board
        .read(key())
        .whenComplete((entry, failure) -> {
          if (failure == null && entry.isPresent()) {
            result.complete(AgentRun.fromJson(entry.get().value()));
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

  private String key() {
    return PROTOCOL.resultKey(runId.value());
  }

  private AgentException notSent(Throwable failure) {
    return new AgentException(
        "the request of run " + runId + " was not stored: " + cause(failure).getMessage(),
        cause(failure),
        passing(failure));
  }

  private AgentException notRead(Throwable failure) {
    return new AgentException(
        "the result of run " + runId + " cannot be read: " + cause(failure).getMessage(),
        cause(failure),
        false);
  }

  private static boolean passing(Throwable failure) {
    return cause(failure) instanceof BlackboardException board && board.retryable();
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }

  private AgentException tooLate(Duration longest) {
    return new AgentException(
        "run " + runId + " has not ended within " + longest + "; it goes on",
        new TimeoutException(),
        true);
  }
}
