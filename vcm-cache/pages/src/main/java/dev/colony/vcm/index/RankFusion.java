package dev.colony.vcm.index;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One ranking of several: each list gives what it has on a rank {@code 1 / (20 + rank)}, and only
 * its first hundred count (Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms
 * Condorcet and individual rank learning methods", 2009). So lists whose scores do not compare can
 * be added up.
 */
final class RankFusion {

  private static final int FLATTENED = 20;
  private static final int FIRST = 100;

  private RankFusion() {}

  /**
   * What each gets of all lists together.
   *
   * @param scores a list's scores; what has none (0) is not in it
   * @param order breaks ties, the same in all lists
   */
  static double[] fuse(List<double[]> scores, Comparator<Integer> order) {
    double[] sum = new double[scores.getFirst().length];
    for (double[] one : scores) {
      int[] ranked = ranked(one, order);
      for (int i = 0; i < Math.min(FIRST, ranked.length); i++) {
        sum[ranked[i]] += 1.0 / (FLATTENED + i + 1);
      }
    }
    return sum;
  }

  /** The positions of the scores above 0, the highest first. */
  static int[] ranked(double[] scores, Comparator<Integer> order) {
    return IntStream.range(0, scores.length)
        .filter(i -> scores[i] > 0)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer i) -> -scores[i]).thenComparing(order))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
