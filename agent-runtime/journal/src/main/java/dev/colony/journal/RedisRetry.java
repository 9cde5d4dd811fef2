package dev.colony.journal;

import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.redis.RedisFailure;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Sends an idempotent operation again while Redis cannot take it: after a refused connection, while
 * the server loads its file, after a failover whose new primary still says read-only. Bounded by
 * the deadline.
 */
public final class RedisRetry {

  /** Between two attempts of an operation that Redis could not take yet. */
  static final Duration DELAY = Duration.ofMillis(50);

  private final Duration deadline;
  private final Executor later;

  RedisRetry(Duration deadline, Duration delay) {
    this.deadline = deadline;
    this.later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Tries until it is taken or fails for good. */
  <T> CompletionStage<T> whileItHelps(Supplier<CompletionStage<T>> attempt) {
    return untilTaken(attempt.get(), attempt);
  }

  /** Follows an attempt already under way with others, as long as that helps. */
  <T> CompletionStage<T> untilTaken(CompletionStage<T> first, Supplier<CompletionStage<T>> again) {
    Deadline giveUpAt = Deadline.in(deadline);
    return first.exceptionallyCompose(failure -> next(failure, again, giveUpAt));
  }

  private <T> CompletionStage<T> next(
      Throwable thrown, Supplier<CompletionStage<T>> again, Deadline giveUpAt) {
    Throwable failure = unwrap(thrown);
    Duration left = giveUpAt.left();
    if (left.isZero() || !mayPass(failure)) {
      return CompletableFuture.failedStage(failure);
    }
    CompletionStage<T> attempt =
        failure instanceof RedisNoScriptException
            ? again.get()
            : CompletableFuture.supplyAsync(again, later).thenCompose(stage -> stage);
    return attempt
        .toCompletableFuture()
        .copy()
        .orTimeout(left.toNanos(), TimeUnit.NANOSECONDS)
        // What kept it from being taken says more than that the time is over.
        .exceptionallyCompose(next ->
            next(unwrap(next) instanceof TimeoutException ? failure : next, again, giveUpAt));
  }

  /** The journal's own exception for an operation that failed. */
  static JournalException failed(String operation, String persistenceId, Throwable thrown) {
    Throwable failure = unwrap(thrown);
    return failure instanceof JournalException known
        ? known
        : new JournalException(
            operation + " " + persistenceId + " failed: " + words(failure),
            failure,
            failure instanceof TimeoutException || RedisFailure.of(failure).retryable());
  }

  private static String words(Throwable failure) {
    return failure instanceof TimeoutException
        ? "Redis has not taken it in time"
        : RedisFailure.of(failure).getMessage();
  }

  public static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static boolean mayPass(Throwable failure) {
    return failure instanceof RedisNoScriptException || RedisFailure.passesSoon(failure);
  }
}
