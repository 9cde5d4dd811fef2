package dev.colony.blackboard;

import dev.colony.blackboard.BlackboardException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Waits for a stage in code that blocks, as code on virtual threads does.
 *
 * <p>A failure comes from a thread of the backend, and its stack trace tells nothing of the caller.
 * So the failure gets the caller's trace as a suppressed exception, as Reactor's {@code block}
 * does.
 */
public final class Await {

  private Await() {}

  /**
   * The value of a stage.
   *
   * @throws BlackboardException {@link Reason#INTERRUPTED} if the thread is interrupted meanwhile.
   *     The thread stays interrupted, and the stage is cancelled
   * @throws RuntimeException what the stage failed with, without the wrappers of futures; a {@link
   *     CompletionException} around it if it is checked
   */
  public static <T> T result(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get();
    } catch (InterruptedException interrupted) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new BlackboardException(Reason.INTERRUPTED, "interrupted while waiting", interrupted);
    } catch (ExecutionException failed) {
      switch (unwrapped(failed.getCause())) {
        case RuntimeException failure -> throw traced(failure);
        case Error error -> throw error;
        case Throwable checked -> throw new CompletionException(checked);
      }
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** With one caller's trace: a stage that many wait for gathers no more of them. */
  private static RuntimeException traced(RuntimeException failure) {
    if (failure.getSuppressed().length == 0) {
      failure.addSuppressed(new Exception("waited for here"));
    }
    return failure;
  }
}
