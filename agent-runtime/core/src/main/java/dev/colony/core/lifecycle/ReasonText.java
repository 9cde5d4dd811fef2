package dev.colony.core.lifecycle;

import dev.colony.blackboard.value.Text;

/**
 * Reasons as they are journaled: one well-formed line of bounded length, whatever agent code made
 * of them.
 */
final class ReasonText {

  static final int LONGEST = 2_000;

  private ReasonText() {}

  static String line(String text) {
    return Text.line(text, LONGEST);
  }
}
