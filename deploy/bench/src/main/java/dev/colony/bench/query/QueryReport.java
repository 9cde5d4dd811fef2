package dev.colony.bench.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a benchmark of queries found.
 *
 * @param pages of the tree; a broadcast asks all but the asking one
 * @param learned questions that may be learned from
 * @param kept questions that are kept apart, by which all figures are
 * @param reading what reading pages comes to; empty where that is not measured
 */
public record QueryReport(
    QueryLoad load,
    int pages,
    int learned,
    int kept,
    List<Round> rounds,
    Optional<Reading> reading) {

  /**
   * What caches hold of what is read.
   *
   * @param orders share of a prompt of several pages that begins as an earlier one, by the order of
   *     its pages
   * @param mostOrder the share that no order exceeds
   * @param turns questions of all conversations
   * @param ahead by what is loaded ahead
   */
  record Reading(
      Map<String, Double> orders,
      double mostOrder,
      int turns,
      int conversations,
      List<Ahead> ahead) {}

  /**
   * What loading pages ahead comes to.
   *
   * @param cache what it holds, as a share of all pages
   * @param room whether pages are loaded only where they push nothing out
   * @param choice what is loaded
   */
  record Ahead(double cache, boolean room, String choice, LoadedAhead.Figures figures) {}

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
    reading.ifPresent(measured -> add(json, measured));
    return json.toString();
  }

  private static void add(ObjectNode json, Reading reading) {
    ObjectNode orders = json.putObject("orders");
    reading.orders().forEach(orders::put);
    orders.put("most", reading.mostOrder());
    ArrayNode ahead = json.putArray("ahead");
    for (Ahead one : reading.ahead()) {
      ahead
          .addObject()
          .put("cache", one.cache())
          .put("room", one.room())
          .put("choice", one.choice())
          .put("hits", one.figures().hits())
          .put("loaded", one.figures().loaded())
          .put("used", one.figures().used());
    }
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
    reading.ifPresent(measured -> text.append(text(measured)));
    return text.toString().stripTrailing();
  }

  private static String text(Reading reading) {
    StringBuilder text =
        new StringBuilder(
            line("%nshare of a prompt of several pages that begins as an earlier one"));
    reading.orders().forEach((name, share) -> text.append(line("  pages %-38s %.3f", name, share)));
    text.append(line("  %-44s %.3f", "at most", reading.mostOrder()));
    text.append(
        line(
            "%npages loaded after each of %d questions of %d conversations",
            reading.turns(), reading.conversations()));
    text.append(
        line(
            "%6s | %-9s | %-17s | %6s %7s %6s",
            "cache", "pushes", "loaded", "hits", "loaded", "used"));
    for (Ahead one : reading.ahead()) {
      text.append(
          line(
              "%6.2f | %-9s | %-17s | %6.3f %7d %6d",
              one.cache(),
              one.room() ? "nothing" : "others out",
              one.choice(),
              one.figures().hits(),
              one.figures().loaded(),
              one.figures().used()));
    }
    return text.toString();
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
