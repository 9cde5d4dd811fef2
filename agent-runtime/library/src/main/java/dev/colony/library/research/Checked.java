package dev.colony.library.research;

import java.util.List;

/**
 * What came of holding quotes against what was shown.
 *
 * @param kept those that stand there, as they stand there
 * @param missed the others
 */
record Checked(List<Evidence> kept, List<Checked.Missed> missed) {

  Checked {
    kept = List.copyOf(kept);
    missed = List.copyOf(missed);
  }

  /** How many of the missed are not among what was quoted once more. */
  int lost(List<Evidence> again) {
    long mended = again.stream().filter(one -> kept.stream().noneMatch(one::overlaps)).count();
    return (int) Math.max(0, missed.size() - mended);
  }

  /**
   * A quote that stands nowhere.
   *
   * @param place what stands where it says, as in {@code src/Main.java:12-15}; empty if that was
   *     not shown
   * @param text of those lines
   */
  record Missed(Quote quote, String place, String text) {}
}
