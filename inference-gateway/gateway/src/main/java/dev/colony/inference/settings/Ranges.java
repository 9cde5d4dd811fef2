package dev.colony.inference.settings;

import java.time.Duration;

/** Refuses values out of range with a message that names path, value and allowed range. */
public final class Ranges {

  private Ranges() {}

  /** Returns {@code value} if it lies within both bounds. */
  public static int within(String path, int value, int min, int max) {
    within(path, (long) value, min, max);
    return value;
  }

  /** Returns {@code value} if it lies within both bounds. */
  public static long within(String path, long value, long min, long max) {
    if (value < min || value > max) {
      throw refused(path, value, min, max);
    }
    return value;
  }

  /** Returns {@code value} if it lies within both bounds. */
  public static Duration within(String path, Duration value, Duration min, Duration max) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw refused(path, value, min, max);
    }
    return value;
  }

  private static IllegalArgumentException refused(
      String path, Object value, Object min, Object max) {
    return new IllegalArgumentException(
        path + " = " + value + " is out of range, allowed is " + min + " to " + max);
  }
}
