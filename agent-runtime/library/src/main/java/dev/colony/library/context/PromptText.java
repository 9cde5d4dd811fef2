package dev.colony.library.context;

import dev.colony.blackboard.value.Text;

/** Texts of others, made harmless to the shape of a prompt. */
final class PromptText {

  private PromptText() {}

  /** All on one line: line breaks and control characters become spaces, runs of them one. */
  static String flat(String text) {
    return text.replaceAll("[\\s\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
  }

  /** PromptText as they are, without empty ones: sections are kept apart by an empty line. */
  static String block(String text) {
    return text.strip().replaceAll("\\h*(\\R\\h*)+", "\n");
  }

  /** The first {@code most} characters of a text, marked if it was longer. */
  static String cut(String text, int most) {
    return text.length() <= most ? text : Text.head(text, most) + "...";
  }
}
