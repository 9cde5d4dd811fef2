package dev.colony.inference.provider;

/**
 * Tells whether a model is in a loop: the end of its text is the same few words over and over.
 * Small models and those that decode greedily under a grammar get into loops, and leave them only
 * at the bound of the reply.
 */
final class Repetition {

  /** What repeats has at most so many characters. */
  private static final int MOST_PERIOD = 150;

  /** So often it has to stand there, and over so many characters at least. */
  private static final int TIMES = 8;

  private static final int LEAST_CHARS = 400;
  private static final int MOST_CHARS = TIMES * MOST_PERIOD;

  private Repetition() {}

  /** Whether the end of a text repeats itself. Looks at the last 1,200 characters at most. */
  static boolean ends(CharSequence text) {
    int length = text.length();
    for (int period = 1; period <= MOST_PERIOD; period++) {
      int from = length - Math.max(LEAST_CHARS, TIMES * period);
      if (from < 0 && TIMES * period > LEAST_CHARS || length < LEAST_CHARS) {
        return false;
      }
      if (repeats(text, from, period)) {
        return true;
      }
    }
    return false;
  }

  private static boolean repeats(CharSequence text, int from, int period) {
    for (int at = text.length() - 1; at >= from + period; at--) {
      if (text.charAt(at) != text.charAt(at - period)) {
        return false;
      }
    }
    return true;
  }
}
