package dev.colony.blackboard.policy;

import dev.colony.blackboard.value.Text;

/** Messages of libraries, fit for one line of a log or a terminal. */
final class OneLine {

  private static final int MAX_LENGTH = 300;

  private OneLine() {}

  static String of(String message) {
    return Text.line(message, MAX_LENGTH);
  }
}
