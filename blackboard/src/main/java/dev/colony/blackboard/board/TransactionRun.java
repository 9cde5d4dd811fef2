package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.WriterStore.BoardCounters.Count;
import dev.colony.blackboard.board.WriterStore.BoardPermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Runs a transaction's body until its commit takes effect or its retries are used up. The first
 * attempt begins on the caller's thread, a further one on a thread of its own; no thread waits.
 *
 * <p>Only conflicts are tried again. After a failure of the backend the commit may have taken
 * effect, so that failure is the caller's to judge.
 */
final class TransactionRun<T> {

  private final WriterStore store;
  private final BoardPermissions gate;
  private final InstantSource clock;
  private final Retries retries;
  private final RetryPolicy policy;
  private final Function<Transaction, CompletionStage<T>> body;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  TransactionRun(
      WriterStore store,
      BoardPermissions gate,
      InstantSource clock,
      Retries retries,
      RetryPolicy policy,
      Function<Transaction, CompletionStage<T>> body) {
    this.store = store;
    this.gate = gate;
    this.clock = clock;
    this.retries = retries;
    this.policy = policy;
    this.body = body;
  }

  /** A caller that completes the stage, by cancelling it for instance, ends the attempts. */
  CompletionStage<T> start() {
    attempt(1)
        .whenComplete((value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(
                failure instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : failure);
          }
        });
    return result;
  }

  private CompletionStage<T> attempt(int number) {
    if (result.isDone()) {
      return CompletableFuture.failedStage(new CancellationException());
    }
    BufferedTransaction transaction = new BufferedTransaction(store, gate, clock);
    return runBody(transaction)
        .handle((value, failure) -> {
          BufferedTransaction.Outcome outcome = transaction.end();
          return failure == null
              ? commit(outcome, value, number)
              : CompletableFuture.<T>failedStage(failure);
        })
        .thenCompose(ended -> ended);
  }

  private CompletionStage<T> runBody(BufferedTransaction transaction) {
    try {
      return Objects.requireNonNull(
          body.apply(transaction), "the body of a transaction must return a stage");
    } catch (RuntimeException | Error failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  private CompletionStage<T> commit(BufferedTransaction.Outcome outcome, T value, int number) {
    if (outcome.refusal().isPresent()) {
      return CompletableFuture.failedStage(outcome.refusal().get());
    }
    if (result.isDone()) {
      return CompletableFuture.failedStage(new CancellationException());
    }
    return store
        .commit(outcome.expectations(), outcome.changes())
        .thenCompose(committed ->
            switch (committed) {
              case CommitOutcome.Done done -> {
                store.tally().add(Count.COMMITS);
                yield CompletableFuture.completedStage(value);
              }
              case CommitOutcome.Failed conflict -> again(conflict, number);
            });
  }

  private CompletionStage<T> again(CommitOutcome.Failed conflict, int number) {
    if (number == policy.attempts()) {
      store.tally().add(Count.CONCURRENT_MODIFICATIONS);
      return CompletableFuture.failedStage(
          new BlackboardException(
              Reason.CONCURRENT_MODIFICATION,
              ("at each of the transaction's %d attempts others changed what it had read or"
                      + " expected; at the last one \"%s\", now at version %d; try later, allow"
                      + " more attempts, or contend for fewer keys")
                  .formatted(number, conflict.key(), conflict.actualVersion())));
    }
    store.tally().add(Count.RETRIES);
    return CompletableFuture.supplyAsync(
            () -> attempt(number + 1),
            retries.after(Retries.pause(policy, number, ThreadLocalRandom.current())))
        .thenCompose(next -> next);
  }

  /** When and where a transaction is tried again. */
  @FunctionalInterface
  interface Retries {

    /** Runs a task after a pause. */
    Executor after(Duration pause);

    /** Where a board goes on by itself: what runs there may block, and stalls no caller. */
    Executor VIRTUAL = task -> Thread.ofVirtual().name("blackboard-board").start(task);

    /** On a virtual thread each. */
    Retries TIMED =
        pause -> CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, VIRTUAL);

    /**
     * The pause before the next attempt: full jitter.
     *
     * @param failed how many attempts have failed, at least 1
     */
    static Duration pause(RetryPolicy policy, int failed, RandomGenerator random) {
      long max = policy.pauseMax().toNanos();
      long bound = policy.pauseMin().toNanos();
      for (int i = 1; i < failed && bound < max; i++) {
        bound = bound > max / 2 ? max : 2 * bound;
      }
      return Duration.ofNanos(random.nextLong(bound + 1));
    }
  }
}
