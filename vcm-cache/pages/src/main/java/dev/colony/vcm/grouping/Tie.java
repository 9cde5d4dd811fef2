package dev.colony.vcm.grouping;

import dev.colony.vcm.source.CoChange;
import java.util.List;

/** How loosely neighbouring files are tied, 0 (one file) to 1 (nothing in common). */
final class Tie {

  private Tie() {}

  /** By their places alone. */
  static double looseness(FilePlace left, FilePlace right) {
    return looseness(left, right, CoChange.NONE);
  }

  /** By their places, and by how often they were changed together. */
  static double looseness(FilePlace left, FilePlace right, CoChange coChange) {
    if (left.path().equals(right.path())) {
      return 0.1;
    }
    if (!left.directory().equals(right.directory())) {
      List<String> a = left.directory();
      List<String> b = right.directory();
      int shared = 0;
      while (shared < Math.min(a.size(), b.size()) && a.get(shared).equals(b.get(shared))) {
        shared++;
      }
      return 0.8 + 0.2 / (1 + shared);
    }
    if (left.stem().equals(right.stem())) {
      return 0;
    }
    double named = sharedStart(left.stem(), right.stem());
    return 0.3 - 0.2 * Math.max(named, coChange.closeness(left.path(), right.path()));
  }

  /** What share of the longer name both begin with. */
  private static double sharedStart(String left, String right) {
    int shared = 0;
    int shorter = Math.min(left.length(), right.length());
    while (shared < shorter && left.charAt(shared) == right.charAt(shared)) {
      shared++;
    }
    return (double) shared / Math.max(1, Math.max(left.length(), right.length()));
  }
}
