package dev.colony.core.dispatch;

import dev.colony.blackboard.Retryable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an operation for as long as it fails only because the blackboard or the journal cannot be
 * reached. The number of attempts is not bounded, since giving up would lose an accepted run; the
 * delay between them is: it doubles from the shortest to the longest, less a random fifth.
 */
public record Backoff(Duration shortest, Duration longest) {

  private static final Logger LOG = LoggerFactory.getLogger(Backoff.class);

  /** Repeats until it succeeds, fails for another reason, or is given up. */
  public <T> CompletionStage<T> repeat(
      String what, BooleanSupplier givenUp, Supplier<CompletionStage<T>> operation) {
    return attempt(what, givenUp, operation, 0);
  }

  /** The innermost reason, without the wrappers of futures. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private <T> CompletionStage<T> attempt(
      String what, BooleanSupplier givenUp, Supplier<CompletionStage<T>> operation, int attempt) {
    // What is refused at once is a failure like any other.
    return CompletableFuture.<T>completedStage(null)
        .thenCompose(begin -> operation.get())
        .exceptionallyCompose(failure -> {
          if (!passing(failure) || givenUp.getAsBoolean()) {
            return CompletableFuture.failedStage(failure);
          }
          report(what, attempt, failure);
          return CompletableFuture.supplyAsync(
                  () -> attempt(what, givenUp, operation, attempt + 1),
                  CompletableFuture.delayedExecutor(
                      delay(attempt).toMillis(), TimeUnit.MILLISECONDS))
              .thenCompose(next -> next);
        });
  }

  /**
   * The delay before another attempt.
   *
   * @param attempt how many there were before the one that failed
   */
  public Duration delay(int attempt) {
    Duration grown = shortest.multipliedBy(1L << Math.min(attempt, 20));
    Duration bounded = grown.compareTo(longest) < 0 ? grown : longest;
    return bounded.minus(
        bounded
            .dividedBy(5)
            .multipliedBy(ThreadLocalRandom.current().nextLong(100))
            .dividedBy(100));
  }

  private static boolean passing(Throwable failure) {
    return cause(failure) instanceof Retryable known && known.retryable();
  }

  private static void report(String what, int attempt, Throwable failure) {
    if (attempt == 0) {
      LOG.warn("{}: {}; trying again until it works", what, cause(failure).getMessage());
    }
  }
}
