package dev.colony.bench.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * What a benchmark of queries found.
 *
 * @param pages of the tree; a broadcast asks all but the asking one
 * @param learned questions that may be learned from
 * @param kept questions that are kept apart, by which all figures are
 */
public record QueryReport(QueryLoad load, int pages, int learned, int kept, List<Round> rounds) {

  /**
   * How questions that are kept apart went.
   *
   * @param calls pages asked for each question, on average
   * @param found share of a broadcast's answers
   * @param graphShare how much the graph counted beside the index, 0 to 1
   */
  public record Figures(double calls, double found, double graphShare) {}

  /**
   * What stood after a round.
   *
   * @param questions that were learned from by then
   * @param both by index and graph together
   */
  public record Round(int questions, Figures both, Figures index, Figures graph) {}

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("pages", pages)
            .put("questions", learned)
            .put("kept", kept)
            .put("seed", load.seed());
    ArrayNode all = json.putArray("rounds");
    for (Round round : rounds) {
      ObjectNode one = all.addObject().put("learned", round.questions());
      add(one, "both", round.both());
      add(one, "index", round.index());
      add(one, "graph", round.graph());
    }
    return json.toString();
  }

  private static void add(ObjectNode json, String name, Figures figures) {
    json.putObject(name)
        .put("calls", figures.calls())
        .put("found", figures.found())
        .put("graphShare", figures.graphShare());
  }

  /** A table, a line for each round. */
  public String toText() {
    StringBuilder text =
        new StringBuilder(
            line(
                "%d pages, %d questions kept apart; a broadcast asks %d pages, log2 is %.1f",
                pages, kept, pages - 1, Math.log(pages) / Math.log(2)));
    text.append(
        line(
            "%8s | %-22s | %-15s | %-15s",
            "learned", "index and graph", "index alone", "graph alone"));
    text.append(
        line(
            "%8s | %7s %6s %7s | %8s %6s | %8s %6s",
            "from", "calls", "found", "graph", "calls", "found", "calls", "found"));
    for (Round round : rounds) {
      text.append(
          line(
              "%8d | %7.1f %6.3f %7.2f | %8.1f %6.3f | %8.1f %6.3f",
              round.questions(),
              round.both().calls(),
              round.both().found(),
              round.both().graphShare(),
              round.index().calls(),
              round.index().found(),
              round.graph().calls(),
              round.graph().found()));
    }
    return text.toString().stripTrailing();
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
