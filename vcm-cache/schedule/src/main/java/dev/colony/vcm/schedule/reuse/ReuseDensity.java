package dev.colony.vcm.schedule.reuse;

/**
 * How likely prompts of one class are to be used again, for each second that their blocks are held,
 * by the time since their last use. Learned from prompts that were, those that were not within the
 * horizon, and those that may still be.
 */
final class ReuseDensity {

  /** Ages are counted on a scale on which each third one is twice as long. */
  static final int AGES = 40;

  private static final double FIRST = 2;

  private final double[] used = new double[AGES];
  private final double[] given = new double[AGES];
  private double[] density = {};

  static int age(double seconds) {
    return seconds < FIRST
        ? 0
        : Math.min(AGES - 1, (int) (3 * Math.log(seconds / FIRST) / Math.log(2)) + 1);
  }

  private static double begins(int age) {
    return age == 0 ? 0 : FIRST * Math.pow(2, (age - 1) / 3.0);
  }

  /** A prompt was used again after so many seconds. */
  void usedAfter(double seconds) {
    used[age(seconds)]++;
  }

  /** A prompt was not used within the horizon. */
  void givenUp() {
    given[AGES - 1]++;
  }

  /**
   * Learns from what was seen by now.
   *
   * @param open prompts that may still be used, by their age
   */
  void learn(int[] open) {
    double[] atRisk = new double[AGES + 1];
    for (int age = AGES - 1; age >= 0; age--) {
      atRisk[age] = atRisk[age + 1] + used[age] + given[age] + open[age];
    }
    double[] survival = new double[AGES + 1];
    survival[0] = 1;
    for (int age = 0; age < AGES; age++) {
      survival[age + 1] = survival[age] * (1 - (atRisk[age] > 0 ? used[age] / atRisk[age] : 0));
    }
    double[] learned = new double[AGES];
    for (int age = 0; age < AGES; age++) {
      learned[age] = best(survival, age);
    }
    density = learned;
  }

  /**
   * Over all times for which a prompt of that age may be held on: the largest chance of a use
   * within the time, for each second that it is expected to be held.
   */
  private static double best(double[] survival, int age) {
    double best = 0;
    double held = 0;
    for (int until = age; survival[age] > 0 && until < AGES - 1; until++) {
      held += (begins(until + 1) - begins(until)) * (survival[until] + survival[until + 1]) / 2;
      if (held > 0) {
        best = Math.max(best, (survival[age] - survival[until + 1]) / held);
      }
    }
    return best;
  }

  /** Whether enough was seen for {@link #at} to say something. */
  boolean known() {
    return density.length > 0;
  }

  /** Uses a second for a prompt that was last used so many seconds ago. */
  double at(double seconds) {
    return density[age(seconds)];
  }
}
