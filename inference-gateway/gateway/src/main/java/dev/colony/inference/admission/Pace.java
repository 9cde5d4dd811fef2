package dev.colony.inference.admission;

/** How fast calls are answered, learned from those that have ended. */
final class Pace {

  private static final double WEIGHT = 0.1;
  private static final int FEWEST = 8;

  private double nanosPerToken;
  private long calls;

  /** A call has ended that took so many tokens; none says nothing. */
  void ended(long tokens, long tookNanos) {
    if (tokens <= 0 || tookNanos < 0) {
      return;
    }
    double seen = (double) tookNanos / tokens;
    nanosPerToken = calls == 0 ? seen : nanosPerToken + WEIGHT * (seen - nanosPerToken);
    calls++;
  }

  /**
   * How long it takes until so much has been begun.
   *
   * @param slots in which calls run
   * @param share of them, from 0 to 1
   * @return 0 while too little is known to say
   */
  long nanos(long tokens, int slots, double share) {
    return calls < FEWEST || slots == 0
        ? 0
        : (long) Math.min(Long.MAX_VALUE / 4.0, tokens * nanosPerToken / (slots * share));
  }
}
