package dev.colony.core.dispatch;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.value.Text;
import dev.colony.core.retry.Backoff;
import dev.colony.inference.InferenceException;

/** What a failure of an action's code means. */
final class Failure {

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
    return line(message == null || message.isBlank() ? cause.getClass().getSimpleName() : message);
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
