package dev.colony.core.dispatch;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.value.Text;
import dev.colony.core.dispatch.ActionThreads.Ending;
import dev.colony.core.dispatch.RunningAction.Stop;
import dev.colony.inference.InferenceException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tries an action again, under one idempotency key, when its failure says that this may help: as
 * often as it asks for, and where only the blackboard cannot be used, until its time is over, since
 * that is not the action's fault. Between two attempts lies a pause that doubles from the shortest
 * to the longest, less a random fifth.
 */
final class Attempts {

  private final ActionThreads threads;
  private final Backoff pauses;

  Attempts(ActionThreads threads) {
    this.threads = threads;
    this.pauses = threads.settings().bounds().retry();
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
      long pauseNanos = pauses.delay(attempt - 1).toNanos();
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
        long pauseNanos = pauses.delay(attempt - 1).toNanos();
        if (!Failure.outage(failure)
            || pauseNanos >= action.leftNanos()
            || stops(action.stopped(), pauseNanos)) {
          throw failure;
        }
      }
    }
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

  /** What a failure of an action's code means. */
  static final class Failure {

    /** A planner reads it, and it stands in the journal. */
    private static final int MAX_CHARS = 1_000;

    private Failure() {}

    /** One line for the planner. */
    static String line(Throwable failure) {
      Throwable cause = Backoff.cause(failure);
      if (cause instanceof StackOverflowError) {
        return "it recursed until the stack was full";
      }
      String message = cause.getMessage();
      return line(
          message == null || message.isBlank() ? cause.getClass().getSimpleName() : message);
    }

    /** A text as one line that is well-formed and not too long. */
    static String line(String text) {
      return Text.line(text, MAX_CHARS);
    }

    /** Whether it says of itself that the same again may succeed. */
    static boolean retryable(Throwable failure) {
      return switch (Backoff.cause(failure)) {
        case AgentException agent -> agent.retryable();
        case InferenceException model -> model.retryable();
        case BlackboardException board -> board.retryable();
        default -> false;
      };
    }

    /** Whether only the blackboard cannot be used at the moment. */
    static boolean outage(Throwable failure) {
      return Backoff.cause(failure) instanceof BlackboardException board && board.retryable();
    }
  }
}
