package dev.colony.blackboard.policy;

/** Messages of libraries, fit for one line of a log or a terminal. */
final class OneLine {

  private static final int MAX_LENGTH = 300;

  private OneLine() {}

  static String of(String message) {
    String line = message.strip().replaceAll("\\s*\\R\\s*", " ");
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "...";
  }
}
