package dev.colony.library.research;

/**
 * Where a text stands in another one with few slips: characters put in, left out or exchanged.
 * After Sellers, "The theory and computation of evolutionary distances: pattern recognition"
 * (1980): one row of the edit-distance table whose first cell is free at each place. Takes time as
 * the product of both lengths.
 */
final class Slips {

  /** A part of the longer text, and how far it is from the shorter one. */
  record Match(int from, int to, int distance) {}

  private Slips() {}

  /**
   * The part of a text that is nearest to what is wanted, of equal ones the nearest to a place.
   *
   * @param near an index in the text
   * @param most slips; null is returned where each part has more
   */
  static Match nearest(String wanted, String text, int near, int most) {
    int rows = wanted.length();
    int[] cost = new int[rows + 1];
    int[] start = new int[rows + 1];
    for (int i = 0; i <= rows; i++) {
      cost[i] = i;
    }
    Match best = null;
    for (int j = 1; j <= text.length(); j++) {
      int diagonalCost = cost[0];
      int diagonalStart = start[0];
      start[0] = j;
      for (int i = 1; i <= rows; i++) {
        int change = diagonalCost + (wanted.charAt(i - 1) == text.charAt(j - 1) ? 0 : 1);
        int changeStart = i == 1 ? j - 1 : diagonalStart;
        diagonalCost = cost[i];
        diagonalStart = start[i];
        int left = cost[i] + 1;
        int above = cost[i - 1] + 1;
        if (change <= left && change <= above) {
          cost[i] = change;
          start[i] = changeStart;
        } else if (above < left) {
          cost[i] = above;
          start[i] = start[i - 1];
        } else {
          cost[i] = left;
        }
      }
      if (cost[rows] <= most && (best == null || better(cost[rows], start[rows], best, near))) {
        best = new Match(start[rows], j, cost[rows]);
      }
    }
    return best;
  }

  private static boolean better(int distance, int from, Match best, int near) {
    return distance < best.distance()
        || distance == best.distance() && Math.abs(from - near) < Math.abs(best.from() - near);
  }
}
