package dev.colony.vcm.schedule.workingset;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * How long agents stay away between two turns: from those seen, how much longer one stays that has
 * been away for some time (the mean residual life).
 */
final class Absences {

  /** After how many absences the table is made anew. */
  private static final int RENEWED = 200;

  /** Fewer longer ones than that say nothing. */
  private static final int ENOUGH = 5;

  private final int most;
  private final Deque<Double> seen = new ArrayDeque<>();
  private int since;
  private double[] sorted = {};
  private double[] sums = {0};

  /**
   * @param most how many are remembered, the latest
   */
  Absences(int most) {
    this.most = most;
  }

  void seen(double seconds) {
    seen.add(seconds);
    if (seen.size() > most) {
      seen.remove();
    }
    if (++since >= RENEWED) {
      since = 0;
      renew();
    }
  }

  private void renew() {
    sorted = seen.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    sums = new double[sorted.length + 1];
    for (int i = sorted.length - 1; i >= 0; i--) {
      sums[i] = sums[i + 1] + sorted[i];
    }
  }

  /** How much longer, in seconds; 0 where too little was seen. */
  double remaining(double elapsed) {
    int longer = Arrays.binarySearch(sorted, elapsed);
    longer = longer < 0 ? -longer - 1 : longer + 1;
    while (longer > 0 && longer < sorted.length && sorted[longer] == elapsed) {
      longer++;
    }
    int count = sorted.length - longer;
    return count < ENOUGH ? 0 : sums[longer] / count - elapsed;
  }
}
