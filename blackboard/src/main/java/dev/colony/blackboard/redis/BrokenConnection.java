package dev.colony.blackboard.redis;

import dev.colony.blackboard.clock.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a command that failed with the connection under it, or that a server could not take in a
 * state that mostly ends soon: it loads its data, a failover is under way, a cluster has lost a
 * server. Lettuce repeats all that were under way on a broken connection but the oldest, which it
 * fails with the connection's error, carried out or not; to a cluster's server that is away it
 * fails them all.
 */
final class BrokenConnection {

  /** How long after the first try a command is repeated; the last try takes its own time. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Doubles with each repeat. At once would be too soon: the broken connection still takes it. */
  private static final long FIRST_PAUSE_MILLIS = 10;

  private static final int DOUBLINGS = 6;

  private BrokenConnection() {}

  /**
   * @param command must do nothing a second time
   */
  static <T> CompletionStage<T> survive(Supplier<CompletionStage<T>> command) {
    return survive(Deadline.in(PATIENCE), 0, command);
  }

  private static <T> CompletionStage<T> survive(
      Deadline deadline, int repeats, Supplier<CompletionStage<T>> command) {
    return started(command)
        .exceptionallyCompose(failure ->
            RedisFailure.passesSoon(cause(failure)) && !deadline.passed()
                ? pause(FIRST_PAUSE_MILLIS << Math.min(repeats, DOUBLINGS))
                    .thenCompose(paused -> survive(deadline, repeats + 1, command))
                : CompletableFuture.failedStage(failure));
  }

  /** On a connection that is closed for good Lettuce throws where it fails the stage otherwise. */
  private static <T> CompletionStage<T> started(Supplier<CompletionStage<T>> command) {
    try {
      return command.get();
    } catch (RuntimeException refused) {
      return CompletableFuture.failedStage(refused);
    }
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
