package dev.colony.agent.journal;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import java.io.IOException;
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
final class RedisRetry {

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
    long giveUpAt = System.nanoTime() + deadline.toNanos();
    return first.exceptionallyCompose(failure -> next(failure, again, giveUpAt));
  }

  private <T> CompletionStage<T> next(
      Throwable thrown, Supplier<CompletionStage<T>> again, long giveUpAt) {
    Throwable failure = unwrap(thrown);
    long left = giveUpAt - System.nanoTime();
    if (left <= 0 || !mayPass(failure)) {
      return CompletableFuture.failedStage(failure);
    }
    CompletionStage<T> attempt =
        failure instanceof RedisNoScriptException
            ? again.get()
            : CompletableFuture.supplyAsync(again, later).thenCompose(stage -> stage);
    return attempt
        .toCompletableFuture()
        .copy()
        .orTimeout(left, TimeUnit.NANOSECONDS)
        .exceptionallyCompose(next -> next(next, again, giveUpAt));
  }

  /** The journal's own exception for an operation that failed. */
  static JournalException failed(String operation, String persistenceId, Throwable thrown) {
    Throwable failure = unwrap(thrown);
    return failure instanceof JournalException known
        ? known
        : new JournalException(
            operation + " " + persistenceId + " failed: " + failure.getMessage(),
            failure,
            isRetryable(failure));
  }

  private static boolean isRetryable(Throwable failure) {
    return mayPass(failure)
        || failure instanceof RedisCommandTimeoutException
        || failure instanceof TimeoutException;
  }

  static Throwable unwrap(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static boolean mayPass(Throwable failure) {
    return switch (failure) {
      case RedisNoScriptException forgotten -> true;
      case RedisLoadingException loading -> true;
      case RedisReadOnlyException replica -> true;
      case RedisConnectionException unreachable -> true;
      case RedisCommandTimeoutException late -> false;
      case RedisCommandExecutionException refused -> false;
      case RedisException broken -> broken.getCause() instanceof IOException;
      case IOException broken -> true;
      default -> false;
    };
  }
}
