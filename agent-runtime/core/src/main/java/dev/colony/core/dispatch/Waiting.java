package dev.colony.core.dispatch;

import dev.colony.core.retry.Backoff;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for stages on a thread that may be interrupted. */
final class Waiting {

  private Waiting() {}

  /**
   * The value of a stage.
   *
   * @throws CancellationException if the thread is interrupted meanwhile; it stays interrupted, and
   *     the stage is cancelled
   * @throws Exception what the stage failed with
   */
  static <T> T on(CompletionStage<T> stage) throws Exception {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get();
    } catch (InterruptedException stopped) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } catch (ExecutionException failed) {
      switch (Backoff.cause(failed)) {
        case Exception failure -> throw failure;
        case Error error -> throw error;
        default -> throw failed;
      }
    }
  }
}
