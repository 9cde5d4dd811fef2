package dev.colony.agent.journal;

import com.typesafe.config.Config;

/**
 * How much of a log is kept when a snapshot is added to it. It is the store that sees to it, in the
 * script that saves the snapshot: so that snapshots may stand at any distance from one another,
 * where Pekko's own criteria take them to be evenly spaced, and nothing is lost half.
 *
 * @param snapshots how many, the newest ones, at least 1
 * @param allEvents whether no event ever goes; otherwise those go that the oldest of these
 *     snapshots holds, once there are so many
 */
record Retention(int snapshots, boolean allEvents) {

  static final String PATH = "colony.agent.history.keep";

  /** The newest, and one to fall back on. */
  private static final int BESIDE_ALL_EVENTS = 2;

  private static final int MOST = 1_000;

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException naming the path, the value and the range
   */
  static Retention fromConfig(Config root) {
    String keep = root.getString(PATH);
    if (keep.equals("all")) {
      return new Retention(BESIDE_ALL_EVENTS, true);
    }
    if (!keep.matches("\\d{1,4}") || number(keep) < 1 || number(keep) > MOST) {
      throw new IllegalArgumentException(
          PATH + " is " + keep + ", allowed is all, or 1 to " + MOST + " snapshots");
    }
    return new Retention(number(keep), false);
  }

  private static int number(String keep) {
    return Integer.parseInt(keep);
  }
}
