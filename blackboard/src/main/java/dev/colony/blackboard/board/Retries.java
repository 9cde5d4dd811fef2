package dev.colony.blackboard.board;

import dev.colony.blackboard.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** When and where a transaction is tried again. */
@FunctionalInterface
interface Retries {

  /** Runs a task after a pause. */
  Executor after(Duration pause);

  /** On a virtual thread each. */
  Retries TIMED =
      pause ->
          CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, Threads.VIRTUAL);

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
