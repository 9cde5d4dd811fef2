package dev.colony.agent.memory;

/** Texts of memories, which stand in lists. */
final class OneLine {

  private OneLine() {}

  /** The text on one line, and if it is longer than {@code most} characters, cut and marked so. */
  static String of(String text, int most) {
    // What is cut away is not looked at: the text may be an action's whole output.
    String head = text.length() > 4L * most ? text.substring(0, 4 * most) : text;
    String line = head.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    if (line.length() <= most && head.length() == text.length()) {
      return line;
    }
    int end = Math.min(most - 3, line.length());
    boolean halved = end > 0 && Character.isHighSurrogate(line.charAt(end - 1));
    return line.substring(0, halved ? end - 1 : end) + "...";
  }
}
