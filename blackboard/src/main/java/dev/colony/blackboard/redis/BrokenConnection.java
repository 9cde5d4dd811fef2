package dev.colony.blackboard.redis;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a command that failed with the connection under it. Lettuce repeats all that were under
 * way but the oldest, which it fails with the connection's error, carried out or not.
 */
final class BrokenConnection {

  /** How often a command is repeated before it fails. */
  private static final int REPEATS = 8;

  /** Doubles with each repeat. At once would be too soon: the broken connection still takes it. */
  private static final long FIRST_PAUSE_MILLIS = 10;

  private BrokenConnection() {}

  /**
   * @param command must do nothing a second time
   */
  static <T> CompletionStage<T> survive(Supplier<CompletionStage<T>> command) {
    return survive(command, 0);
  }

  private static <T> CompletionStage<T> survive(Supplier<CompletionStage<T>> command, int repeats) {
    return command
        .get()
        .exceptionallyCompose(failure ->
            repeats < REPEATS && cause(failure) instanceof IOException
                ? pause(FIRST_PAUSE_MILLIS << repeats)
                    .thenCompose(paused -> survive(command, repeats + 1))
                : CompletableFuture.failedStage(failure));
  }

  private static CompletionStage<Void> pause(long millis) {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
  }

  /** What failed, without the wrapping that stages put around it. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
