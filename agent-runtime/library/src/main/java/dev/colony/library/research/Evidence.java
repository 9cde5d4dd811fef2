package dev.colony.library.research;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A line that speaks to the question, verified to stand where it says.
 *
 * @param score how strongly it speaks, comparable between pages; larger is stronger
 * @param agent the analyst that found it
 * @param modelCall the call whose reply quoted it
 */
public record Evidence(
    String file, int line, String text, double score, String page, String agent, String modelCall) {

  private static final int MOST_OF_FILE = 3;

  /** The strongest first; a total order, so that equal evidence gives equal answers. */
  static final Comparator<Evidence> STRONGEST_FIRST =
      Comparator.comparingDouble(Evidence::score)
          .reversed()
          .thenComparing(Evidence::file)
          .thenComparingInt(Evidence::line);

  /**
   * The strongest of them, strongest first: at most {@value #MOST_OF_FILE} lines of a file, so that
   * several files have their say, and each text once of a file, its copies in other directories
   * included.
   */
  static List<Evidence> strongest(List<Evidence> all, int limit) {
    Set<String> said = new HashSet<>();
    Map<String, Integer> ofFile = new HashMap<>();
    return all.stream()
        .sorted(STRONGEST_FIRST)
        .filter(one -> said.add(one.fileName() + "\n" + one.text().strip()))
        .filter(one -> ofFile.merge(one.file(), 1, Integer::sum) <= MOST_OF_FILE)
        .limit(limit)
        .toList();
  }

  private String fileName() {
    return file.substring(file.lastIndexOf('/') + 1);
  }

  Evidence withScore(double other) {
    return new Evidence(file, line, text, other, page, agent, modelCall);
  }

  String place() {
    return file + ":" + line;
  }
}
