package dev.colony.schema;

import dev.colony.blackboard.value.Text;

/** Messages of libraries and of constructors, fit for one line of a prompt or a log. */
final class OneLine {

  private static final int MAX_LENGTH = 300;

  private OneLine() {}

  static String of(Throwable failure) {
    return failure.getMessage() == null
        ? failure.getClass().getSimpleName()
        : of(failure.getMessage());
  }

  static String of(String message) {
    return Text.line(message, MAX_LENGTH);
  }
}
