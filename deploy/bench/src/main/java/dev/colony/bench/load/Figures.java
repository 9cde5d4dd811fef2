package dev.colony.bench.load;

import java.util.Locale;

/** How figures are written: to three digits after the point at most. */
public final class Figures {

  private Figures() {}

  public static double rounded(double figure) {
    return Math.round(figure * 1000) / 1000.0;
  }

  /** Whole from 100 on, else with two digits after the point. */
  public static String text(double figure) {
    return String.format(Locale.ROOT, Math.abs(figure) >= 100 ? "%,.0f" : "%.2f", figure);
  }
}
