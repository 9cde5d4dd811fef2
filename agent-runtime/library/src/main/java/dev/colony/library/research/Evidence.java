package dev.colony.library.research;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lines of a file that speak to the question, verified to stand where they say.
 *
 * @param file relative to the source's root
 * @param firstLine counted from 1
 * @param lastLine inclusive, not before the first
 * @param text of those lines as they stand there, with line feeds between them
 * @param score how strongly it speaks, comparable between pages; larger is stronger
 * @param agent the analyst that found it
 * @param modelCall the call whose reply quoted it
 */
public record Evidence(
    String file,
    int firstLine,
    int lastLine,
    String text,
    double score,
    String page,
    String agent,
    String modelCall) {

  public Evidence {
    if (firstLine < 1 || lastLine < firstLine) {
      throw new IllegalArgumentException(
          "evidence of %s has lines %d to %d".formatted(file, firstLine, lastLine));
    }
  }

  private static final int MOST_OF_FILE = 3;

  /** The strongest first; a total order, so that equal evidence gives equal answers. */
  static final Comparator<Evidence> STRONGEST_FIRST =
      Comparator.comparingDouble(Evidence::score)
          .reversed()
          .thenComparing(Evidence::file)
          .thenComparingInt(Evidence::firstLine)
          .thenComparingInt(Evidence::lastLine);

  /**
   * The strongest of them, strongest first: at most {@value #MOST_OF_FILE} spans of a file, so that
   * several files have their say, no line twice, and each text once of a file, its copies in other
   * directories included.
   */
  static List<Evidence> strongest(List<Evidence> all, int limit) {
    Set<String> said = new HashSet<>();
    Map<String, List<Evidence>> ofFile = new HashMap<>();
    List<Evidence> kept = new ArrayList<>();
    for (Evidence one : all.stream().sorted(STRONGEST_FIRST).toList()) {
      List<Evidence> before = ofFile.computeIfAbsent(one.file(), file -> new ArrayList<>());
      if (kept.size() < limit
          && said.add(one.fileName() + "\n" + one.text().strip())
          && before.size() < MOST_OF_FILE
          && before.stream().noneMatch(one::overlaps)) {
        before.add(one);
        kept.add(one);
      }
    }
    return List.copyOf(kept);
  }

  /** Whether both have a line of the same file. */
  boolean overlaps(Evidence other) {
    return file.equals(other.file) && firstLine <= other.lastLine && other.firstLine <= lastLine;
  }

  private String fileName() {
    return file.substring(file.lastIndexOf('/') + 1);
  }

  Evidence withScore(double other) {
    return new Evidence(file, firstLine, lastLine, text, other, page, agent, modelCall);
  }

  /** As in {@code src/Main.java:12} or {@code src/Main.java:12-15}. */
  public String place() {
    return file + ":" + firstLine + (lastLine == firstLine ? "" : "-" + lastLine);
  }
}
