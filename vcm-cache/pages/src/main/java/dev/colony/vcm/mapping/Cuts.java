package dev.colony.vcm.mapping;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Cuts a sequence of sized elements into runs that fit a capacity. From left to right, each run
 * ends at the best boundary within reach: the looser the tie across it and the fuller the run, the
 * better. Boundaries far from a change are chosen as before, because looseness is local.
 */
final class Cuts {

  /** Shorter runs than this share of the capacity are made only where nothing else fits. */
  private static final double LEAST_FILL = 0.4;

  private Cuts() {}

  /** The elements from one index, inclusive, to another, exclusive. */
  record Run(int from, int to) {}

  /**
   * Each element is in exactly one run, in order. A run exceeds the capacity only if it is a single
   * element that does.
   *
   * @param looseness of the boundary before an element, 0 to 1
   */
  static List<Run> cut(int[] sizes, int capacity, IntToDoubleFunction looseness) {
    List<Run> runs = new ArrayList<>();
    for (int from = 0; from < sizes.length; ) {
      int to = end(sizes, from, capacity, looseness);
      runs.add(new Run(from, to));
      from = to;
    }
    return runs;
  }

  private static int end(int[] sizes, int from, int capacity, IntToDoubleFunction looseness) {
    int best = from + 1;
    double bestScore = -1;
    long filled = 0;
    for (int next = from; next < sizes.length; next++) {
      double fill = (double) filled / capacity;
      if (next > from) {
        double score = fill < LEAST_FILL ? 0 : fill + looseness.applyAsDouble(next);
        // Later is better among equals, also among those below the least fill.
        if (score >= bestScore) {
          bestScore = score;
          best = next;
        }
      }
      filled += sizes[next];
      if (filled > capacity) {
        return best;
      }
    }
    return sizes.length;
  }
}
