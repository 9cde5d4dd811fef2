package dev.colony.bench;

import dev.colony.cli.terminal.CommandFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls at an even rate, whether the earlier ones are answered or not. Each counts from the instant
 * at which it was due, not from the one at which it was made: a stall is seen by all the calls that
 * it delays (Tene, "How NOT to Measure Latency": coordinated omission).
 */
public record OpenLoop(double perSecond) {

  private static final int MOST_UNDER_WAY = 50_000;
  private static final Duration LONGEST_STALL = Duration.ofMinutes(1);

  /** A call that was due at an instant, as {@link System#nanoTime}. */
  @FunctionalInterface
  public interface Call {
    CompletionStage<?> make(int number, long dueNanos);
  }

  /**
   * Makes calls and waits for their answers.
   *
   * @param first the number of the first one
   * @param end the number after the last one
   * @throws CommandFailure if calls are not answered for a minute; what a call fails with is thrown
   *     on
   */
  public void run(int first, int end, Call call) {
    Semaphore free = new Semaphore(MOST_UNDER_WAY);
    CompletableFuture<Void> failed = new CompletableFuture<>();
    long begun = System.nanoTime();
    for (int number = first; number < end && !failed.isDone(); number++) {
      long due = begun + (long) ((number - first) * 1e9 / perSecond);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      acquire(free, 1);
      call.make(number, due)
          .whenComplete((answer, failure) -> {
            free.release();
            if (failure != null) {
              failed.completeExceptionally(failure);
            }
          });
    }
    acquire(free, MOST_UNDER_WAY);
    failed.complete(null);
    failed.join();
  }

  private static void acquire(Semaphore free, int permits) {
    try {
      if (!free.tryAcquire(permits, LONGEST_STALL.toMillis(), TimeUnit.MILLISECONDS)) {
        throw CommandFailure.unsuccessful(
            "calls were not answered for %d s".formatted(LONGEST_STALL.toSeconds()));
      }
    } catch (InterruptedException interrupted) {
      throw ClosedLoop.interrupted(interrupted);
    }
  }
}
