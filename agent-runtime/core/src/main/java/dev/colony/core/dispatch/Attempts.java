package dev.colony.core.dispatch;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tries an action again, under one idempotency key, when its failure says that this may help: as
 * often as it asks for, and where only the blackboard cannot be used, until its time is over, since
 * that is not the action's fault. Between two attempts lies a pause that doubles from the shortest
 * to the longest, less a random fifth.
 */
final class Attempts {

  /** Beyond it the pause has long reached its bound. */
  private static final int MOST_DOUBLINGS = 20;

  private final ActionThreads threads;
  private final DispatchSettings.Retry pauses;

  Attempts(ActionThreads threads) {
    this.threads = threads;
    this.pauses = threads.settings().retry();
  }

  /** How the last attempt ended. Blocks. */
  Ending run(ActionTable.Offer offer, RunningAction action, Callable<Ending.Returned> code)
      throws InterruptedException {
    int most = offer.action().retryable() ? offer.provider().attempts(offer.action().key()) : 1;
    for (int attempt = 1; ; attempt++) {
      Ending ending = threads.run(action, offer.action().computing(), code);
      boolean again =
          ending instanceof Ending.Threw threw
              && Failure.retryable(threw.failure())
              && (attempt < most || offer.action().retryable() && Failure.outage(threw.failure()));
      if (!again) {
        return ending;
      }
      long pauseNanos = pause(attempt, ThreadLocalRandom.current().nextDouble()).toNanos();
      if (pauseNanos >= action.leftNanos()) {
        return ending;
      }
      if (stops(action.stopped(), pauseNanos)) {
        return new Ending.Stopped(action.stopped().join());
      }
    }
  }

  /**
   * Repeats a call while only the blackboard cannot be used and the action has time left. Blocks.
   *
   * @throws Exception of the last call
   */
  <T> T whileOut(RunningAction action, Callable<T> call) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return call.call();
      } catch (Exception failure) {
        long pauseNanos = pause(attempt, ThreadLocalRandom.current().nextDouble()).toNanos();
        if (!Failure.outage(failure)
            || pauseNanos >= action.leftNanos()
            || stops(action.stopped(), pauseNanos)) {
          throw failure;
        }
      }
    }
  }

  /**
   * The pause after an attempt.
   *
   * @param random from 0 to 1
   */
  private Duration pause(int attempt, double random) {
    Duration grown = pauses.shortest().multipliedBy(1L << Math.min(attempt - 1, MOST_DOUBLINGS));
    Duration bounded = grown.compareTo(pauses.longest()) < 0 ? grown : pauses.longest();
    return bounded.minusNanos((long) (bounded.toNanos() / 5 * random));
  }

  private static boolean stops(CompletableFuture<Stop> stop, long withinNanos)
      throws InterruptedException {
    try {
      stop.get(withinNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException goesOn) {
      return false;
    } catch (ExecutionException never) {
      throw new IllegalStateException(never);
    }
  }
}
