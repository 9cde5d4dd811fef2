package dev.colony.core.registry;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a person, or a model, may have meant. */
public final class CloseName {

  private CloseName() {}

  /**
   * Asks for the known name that differs least, by its whole or its last part; empty where all
   * differ in more than about a third of the letters.
   */
  static String of(String name, Collection<String> known) {
    return among(name, known).map(closest -> ": did you mean " + closest + "?").orElse("");
  }

  /** Asks for the known name that differs in nothing but how its parts are joined. */
  public static String joined(String name, Collection<String> known) {
    return known.stream()
        .filter(one -> alike(one, name))
        .findFirst()
        .map(one -> ": did you mean " + one + "?")
        .orElse("");
  }

  /**
   * Whether two names of actions differ in nothing but how their parts are joined: the tool of
   * {@code desk.count} is {@code desk_count}.
   */
  public static boolean alike(String one, String other) {
    return one.length() == other.length() && plain(one).equals(plain(other));
  }

  private static String plain(String name) {
    return name.replaceAll("[^A-Za-z0-9_-]", "_");
  }

  /** The known name that differs least, as {@link #of} has it. */
  public static Optional<String> among(String name, Collection<String> known) {
    int most = Math.max(1, (name.length() + 1) / 3);
    return known.stream()
        .min(Comparator.comparingInt(one -> distance(name, one)))
        .filter(closest -> distance(name, closest) <= most);
  }

  private static int distance(String name, String known) {
    String last = known.substring(known.lastIndexOf('.') + 1);
    return Math.min(edits(name, known), edits(name, last));
  }

  /** How many letters have to be put in, taken out or changed (Levenshtein, 1965). */
  private static int edits(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
