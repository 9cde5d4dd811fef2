package dev.colony.vcm.settings;

/** The one way in which a setting out of its range is refused. */
final class SettingRange {

  private SettingRange() {}

  static void check(String path, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          path + " is " + plain(value) + ", must be " + plain(least) + " to " + plain(most));
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
