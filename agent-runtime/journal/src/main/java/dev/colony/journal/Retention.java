package dev.colony.journal;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * How much of a log is kept when a snapshot is added to it. It is the store that sees to it, in the
 * script that saves the snapshot: so that snapshots may stand at any distance from one another,
 * where Pekko's own criteria take them to be evenly spaced, and nothing is lost half.
 *
 * @param snapshots how many, the newest ones, at least 1
 * @param allEvents whether events go by their age only; otherwise those go that the oldest of these
 *     snapshots holds, once there are so many
 * @param age of the events that go, about, where they go by it: those go that are in a snapshot so
 *     old, which stays as the beginning of what can be read. To have one of about that age at any
 *     time, some between it and the newest stay, an eighth of the age apart: at most eleven in all
 */
record Retention(int snapshots, boolean allEvents, Duration age) {

  static final String PATH = "colony.agent.history.keep";

  private static final String AGE = "keep-for";

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
    Duration age =
        SettingsReader.of(root, "colony.agent.history")
            .duration(AGE, Duration.ofMillis(100), Duration.ofDays(36_500));
    if (keep.equals("all")) {
      return new Retention(BESIDE_ALL_EVENTS, true, age);
    }
    if (!keep.matches("\\d{1,4}") || number(keep) < 1 || number(keep) > MOST) {
      throw new IllegalArgumentException(
          PATH + " is " + keep + ", allowed is all, or 1 to " + MOST + " snapshots");
    }
    return new Retention(number(keep), false, age);
  }

  private static int number(String keep) {
    return Integer.parseInt(keep);
  }
}
