package dev.colony.examples.tour;

import java.util.ArrayList;
import java.util.List;

/**
 * A guided tour of a source tree.
 *
 * @param stops in the order in which to read them
 * @param passedBy parts that have no stop
 * @param dropped lines that the model quoted and that stand nowhere in what it was shown
 */
public record Tour(List<Stop> stops, List<String> passedBy, int dropped) {

  /** Types of a file that are shown as text. */
  private static final int DEFINES = 3;

  /**
   * A part of the tree.
   *
   * @param share of the page graph's centrality, 0 to 1
   * @param purpose what it is for, as the model says; empty where it was not asked or did not
   *     answer
   * @param see lines to look at, that the model points to
   * @param read its files that most others name
   * @param leadsTo parts that it uses most
   * @param ledFrom parts that use it most
   */
  public record Stop(
      String part,
      double share,
      int files,
      int lines,
      String purpose,
      List<Sight> see,
      List<ReadFile> read,
      List<String> leadsTo,
      List<String> ledFrom) {}

  /**
   * A file to read.
   *
   * @param says the first sentence of its first comment; empty where it has none
   * @param defines the types that it defines
   */
  public record ReadFile(String path, String says, List<Sight> defines) {}

  /** A line, and why it is worth a look; empty where the model gave no reason. */
  public record Sight(String file, int line, String text, String why) {}

  /** As text for people, a line each. */
  public List<String> asLines() {
    List<String> lines = new ArrayList<>();
    int number = 1;
    for (Stop stop : stops) {
      lines.add(
          "%d. %s  %d files, %d lines, %.0f%% of the centrality"
              .formatted(number++, stop.part(), stop.files(), stop.lines(), 100 * stop.share()));
      stop.purpose()
          .lines()
          .filter(line -> !line.isBlank())
          .forEach(line -> lines.add("   " + line));
      stop.read()
          .forEach(file -> {
            lines.add("   read " + file.path() + (file.says().isEmpty() ? "" : ": " + file.says()));
            file.defines().stream()
                .limit(DEFINES)
                .forEach(
                    type -> lines.add("     %4d  %s".formatted(type.line(), type.text().strip())));
          });
      stop.see()
          .forEach(sight -> {
            lines.add(
                "   see %s:%d  %s".formatted(sight.file(), sight.line(), sight.text().strip()));
            if (!sight.why().isBlank()) {
              lines.add("       " + sight.why().strip().replaceAll("\\s+", " "));
            }
          });
      if (!stop.leadsTo().isEmpty()) {
        lines.add("   uses: " + String.join(", ", stop.leadsTo()));
      }
      if (!stop.ledFrom().isEmpty()) {
        lines.add("   used by: " + String.join(", ", stop.ledFrom()));
      }
    }
    if (!passedBy.isEmpty()) {
      lines.add("Passed by: " + String.join(", ", passedBy));
    }
    if (dropped > 0) {
      lines.add(dropped + " lines that the model quoted stand nowhere in what it was shown");
    }
    return lines;
  }
}
