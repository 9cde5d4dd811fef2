package dev.colony.inference.provider;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * How many tokens a model makes of those that a prompt is estimated to have: estimates know neither
 * its vocabulary nor its template. Learned from what the server counts. Thread-safe.
 */
final class TokenScale {

  /** Of so many prompts, the last ones, it is remembered. */
  private static final int KEPT = 64;

  /** The template of a shorter prompt says more than its words. */
  private static final int LEAST_TOKENS = 200;

  private static final double MOST = 0.9;

  /** Before anything is learned an estimate may be too high by this. */
  private static final double UNKNOWN_LOW = 1 / 1.4;

  private final double[] scales = new double[KEPT];
  private int seen;

  synchronized void learn(long estimated, OptionalLong counted) {
    if (estimated >= LEAST_TOKENS && counted.orElse(0) > 0) {
      scales[seen++ % KEPT] = (double) counted.getAsLong() / estimated;
    }
  }

  /** What nine of ten prompts have at most. */
  long most(long estimated) {
    return Math.round(estimated * quantile(MOST, 1));
  }

  /** What nine of ten prompts have at least. */
  long least(long estimated) {
    return Math.round(estimated * quantile(1 - MOST, UNKNOWN_LOW));
  }

  private synchronized double quantile(double share, double unknown) {
    if (seen == 0) {
      return unknown;
    }
    double[] sorted = Arrays.copyOf(scales, Math.min(seen, KEPT));
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }
}
