package dev.colony.library.research;

import java.util.Comparator;

/**
 * A line that speaks to the question, verified to stand where it says.
 *
 * @param score how strongly it speaks, comparable between pages; larger is stronger
 * @param agent the analyst that found it
 * @param modelCall the call whose reply quoted it
 */
public record Evidence(
    String file, int line, String text, double score, String page, String agent, String modelCall) {

  /** The strongest first; a total order, so that equal evidence gives equal answers. */
  static final Comparator<Evidence> STRONGEST_FIRST =
      Comparator.comparingDouble(Evidence::score)
          .reversed()
          .thenComparing(Evidence::file)
          .thenComparingInt(Evidence::line);

  Evidence withScore(double other) {
    return new Evidence(file, line, text, other, page, agent, modelCall);
  }

  String place() {
    return file + ":" + line;
  }
}
