package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What the bench of the scheduler found, for each trace, number of replicas and size of caches. */
final class ScheduleReport {

  /** This scheduler in one of its variants. */
  record Ours(Variant variant, PolicyFigures figures) {}

  /**
   * What was found for one trace over so many replicas of one size.
   *
   * @param ours at least one
   * @param published the policies that it is held against; at least one
   * @param oracle a policy with one endless cache for all replicas
   * @param bounds of one pool of all caches
   */
  record Result(
      Simulator.Cell cell,
      List<Ours> ours,
      List<PolicyFigures> published,
      PolicyFigures oracle,
      PolicyFigures.Bounds bounds) {

    Result {
      ours = List.copyOf(ours);
      published = List.copyOf(published);
    }

    /** The published policy that takes the fewest seconds. */
    PolicyFigures best() {
      return published.stream()
          .min(Comparator.comparingDouble(PolicyFigures::seconds))
          .orElseThrow();
    }

    /** How much of the seconds between the best published and the oracle are closed. */
    OptionalDouble closed(PolicyFigures figures) {
      double gap = best().seconds() - oracle.seconds();
      return gap > 0
          ? OptionalDouble.of((best().seconds() - figures.seconds()) / gap)
          : OptionalDouble.empty();
    }
  }

  private final List<Result> results;

  ScheduleReport(List<Result> results) {
    this.results = List.copyOf(results);
  }

  /** One object. */
  ObjectNode toJson() {
    ArrayNode all = JsonLines.JSON.createArrayNode();
    for (Result result : results) {
      Simulator.Cell cell = result.cell();
      ObjectNode one =
          all.addObject()
              .put("trace", cell.trace().name())
              .put("requests", cell.trace().requests())
              .put("replicas", cell.replicas())
              .put("cacheBlocks", cell.cacheBlocks())
              .put("speed", cell.speed())
              .put("best", result.best().policy());
      one.putObject("pool")
          .put("lruHits", result.bounds().lru())
          .put("optHits", result.bounds().opt())
          .put("endlessHits", result.bounds().endless());
      ArrayNode ours = one.putArray("ours");
      for (Ours own : result.ours()) {
        Variant variant = own.variant();
        ObjectNode json =
            own.figures()
                .toJson()
                .put("declared", variant.declared().words())
                .put("boundSeconds", variant.boundSeconds())
                .put("eviction", lower(variant))
                .put("staleSeconds", variant.staleSeconds())
                .put("lost", variant.lost());
        result.closed(own.figures()).ifPresent(part -> json.put("closed", part));
        ours.add(json);
      }
      ArrayNode published = one.putArray("published");
      result.published().forEach(policy -> published.add(policy.toJson()));
      one.set("oracle", result.oracle().toJson());
    }
    return JsonLines.JSON.createObjectNode().set("results", all);
  }

  private static String lower(Variant variant) {
    return variant.eviction().name().toLowerCase(Locale.ROOT);
  }

  /** The tables of the documentation, in Markdown. */
  String toMarkdown() {
    List<String> lines = new ArrayList<>();
    results.stream()
        .map(result -> result.cell().trace())
        .distinct()
        .forEach(trace -> {
          List<Result> own =
              results.stream().filter(one -> one.cell().trace().equals(trace)).toList();
          int first = own.getFirst().cell().requests();
          lines.add(
              number(
                  first > 0 ? "## %s, the first %d of %,d requests" : "## %s, %3$,d requests",
                  trace.name(),
                  first,
                  trace.requests()));
          lines.add("");
          summary(trace, own, lines);
          own.forEach(result -> policies(result, lines));
        });
    return String.join("\n", lines).stripTrailing();
  }

  /** Where agents have sessions their mean time counts, else the mean time to the first token. */
  private static void summary(Trace trace, List<Result> results, List<String> lines) {
    lines.add(
        "Seconds are those of a "
            + (trace.sessions() ? "session" : "first token")
            + ", on average.");
    lines.add("");
    row(
        lines,
        "N",
        "C",
        "this",
        "seconds",
        "best published",
        "seconds",
        "beside it",
        "oracle",
        "closed",
        "longest wait",
        "p99 TTFT",
        "beside its",
        "hits",
        "pooled LRU",
        "touches");
    rule(lines, 15);
    for (Result result : results) {
      PolicyFigures best = result.best();
      for (Ours own : result.ours()) {
        PolicyFigures figures = own.figures();
        row(
            lines,
            Integer.toString(result.cell().replicas()),
            Integer.toString(result.cell().cacheBlocks()),
            own.variant().words(),
            seconds(figures.seconds()),
            best.policy(),
            seconds(best.seconds()),
            ratio(figures.seconds(), best.seconds()),
            seconds(result.oracle().seconds()),
            result.closed(figures).isPresent()
                ? number("%.2f", result.closed(figures).getAsDouble())
                : "",
            number("%.0f", figures.longestWait()),
            seconds(figures.p99Ttft()),
            ratio(figures.p99Ttft(), best.p99Ttft()),
            number("%.3f", figures.hits()),
            number("%.3f", result.bounds().lru()),
            figures.touches() == 0 ? "" : number("%,d", figures.touches()));
      }
    }
    lines.add("");
  }

  private static void policies(Result result, List<String> lines) {
    lines.add("### " + result.cell().words());
    lines.add("");
    lines.add(
        number(
            "Hits of one pool of all caches: LRU %.3f, OPT %.3f, endless %.3f.",
            result.bounds().lru(), result.bounds().opt(), result.bounds().endless()));
    lines.add("");
    row(lines, "policy", "hits", "TTFT mean", "p99", "longest wait", "session");
    rule(lines, 6);
    result.ours().forEach(own -> policy("this: " + own.variant().words(), own.figures(), lines));
    result.published().forEach(one -> policy(one.policy(), one, lines));
    policy(result.oracle().policy(), result.oracle(), lines);
    lines.add("");
  }

  private static void policy(String name, PolicyFigures figures, List<String> lines) {
    row(
        lines,
        name,
        number("%.3f", figures.hits()),
        seconds(figures.meanTtft()),
        seconds(figures.p99Ttft()),
        number("%.0f", figures.longestWait()),
        figures.session().isPresent() ? seconds(figures.session().getAsDouble()) : "");
  }

  private static void row(List<String> lines, String... cells) {
    lines.add("| " + String.join(" | ", cells) + " |");
  }

  private static void rule(List<String> lines, int columns) {
    lines.add("|" + "---|".repeat(columns));
  }

  private static String seconds(double seconds) {
    return number(seconds >= 100 ? "%,.0f" : "%.2f", seconds);
  }

  private static String ratio(double value, double of) {
    return of > 0 ? number("%.2f", value / of) : "";
  }

  private static String number(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
