package dev.colony.vcm.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which files were changed together, and how often: a relation that neither names nor imports show
 * (Zimmermann, Weissgerber, Diehl and Zeller, "Mining Version Histories to Guide Software Changes",
 * ICSE 2004). Immutable.
 */
public final class CoChange {

  /** Of a source without a history. */
  public static final CoChange NONE = new CoChange(Map.of(), Map.of());

  /** Fewer changes together than this may be chance. */
  private static final int LEAST_TOGETHER = 2;

  private final Map<String, Integer> changes;
  private final Map<String, Map<String, Integer>> together;

  private CoChange(Map<String, Integer> changes, Map<String, Map<String, Integer>> together) {
    this.changes = changes;
    this.together = together;
  }

  /**
   * Counts changes.
   *
   * @param commits the files that each of them changed
   * @param mostFiles of a commit; larger ones tell nothing of any two files and are passed over
   */
  public static CoChange of(Iterable<? extends Set<String>> commits, int mostFiles) {
    Map<String, Integer> changes = new HashMap<>();
    Map<String, Map<String, Integer>> together = new HashMap<>();
    for (Set<String> commit : commits) {
      if (commit.size() > mostFiles) {
        continue;
      }
      List<String> files = commit.stream().sorted().toList();
      for (String file : files) {
        changes.merge(file, 1, Integer::sum);
        for (String other : files) {
          if (!file.equals(other)) {
            together.computeIfAbsent(file, key -> new HashMap<>()).merge(other, 1, Integer::sum);
          }
        }
      }
    }
    return changes.isEmpty() ? NONE : new CoChange(changes, together);
  }

  /** Whether nothing is known. */
  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /**
   * How closely two files are tied: the share of the changes of either that were changes of both, 0
   * to 1; 0 where that were too few to tell. Symmetric.
   */
  public double closeness(String file, String other) {
    int both = together(file).getOrDefault(other, 0);
    return both < LEAST_TOGETHER
        ? 0
        : (double) both / (changes.get(file) + changes.get(other) - both);
  }

  /** How often each other file was changed together with this one. */
  public Map<String, Integer> together(String file) {
    return together.getOrDefault(file, Map.of());
  }
}
