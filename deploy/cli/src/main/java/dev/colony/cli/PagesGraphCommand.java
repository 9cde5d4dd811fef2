package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.schema.JsonValues;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.graph.PageGraph;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the page graph. */
@Command(
    name = "graph",
    mixinStandardHelpOptions = true,
    description = "Shows which pages lead to which, the heaviest edges first.")
final class PagesGraphCommand implements Callable<Integer> {

  @Parameters(paramLabel = "MAP")
  private String id;

  @Option(names = "--dot", description = "Prints a graph in the language of Graphviz.")
  private boolean dot;

  @Mixin private LimitOption limit;

  @Mixin private JsonOption json;

  @Mixin private PagesCommand.Tenant tenant;

  /** An edge. */
  record Edge(String from, String to, double weight) {}

  /** The heaviest edges. */
  record Edges(List<Edge> edges) {}

  @Override
  public Integer call() {
    int most = limit.checked();
    List<Edge> edges = new ArrayList<>();
    Map<String, String> labels = new HashMap<>();
    tenant.with(blackboards -> {
      PageMap map = tenant.map(blackboards, id);
      PageGraph graph = tenant.graph(blackboards, map);
      Instant now = blackboards.clock().instant();
      for (PageId from : graph.pages()) {
        graph
            .from(from, now)
            .forEach(to -> edges.add(new Edge(from.value(), to.page().value(), to.weight())));
      }
      edges.sort(
          Comparator.comparingDouble(Edge::weight)
              .reversed()
              .thenComparing(Edge::from)
              .thenComparing(Edge::to));
      edges.subList(Math.min(most, edges.size()), edges.size()).clear();
      TreeSet<PageId> shown = new TreeSet<>();
      edges.forEach(edge -> {
        shown.add(new PageId(edge.from()));
        shown.add(new PageId(edge.to()));
      });
      tenant
          .pages(blackboards)
          .pages(List.copyOf(shown))
          .toCompletableFuture()
          .join()
          .forEach(page -> labels.put(page.id().value(), page.segments().getFirst().file()));
      return map;
    });
    if (json.given()) {
      PagesCommand.print(new Edges(edges));
    } else if (dot) {
      printDot(edges, labels);
    } else {
      edges.forEach(edge ->
          System.out.println(
              Printable.of(
                  String.format(
                      Locale.ROOT,
                      "%.3f  %s %s -> %s %s",
                      edge.weight(),
                      edge.from(),
                      labels.get(edge.from()),
                      edge.to(),
                      labels.get(edge.to())))));
    }
    return ExitCode.OK.status();
  }

  private static void printDot(List<Edge> edges, Map<String, String> labels) {
    System.out.println("digraph pages {");
    labels.forEach((page, label) ->
        System.out.printf("  \"%s\" [label=%s];%n", page, JsonValues.toJson(label)));
    edges.forEach(edge ->
        System.out.printf(
            Locale.ROOT,
            "  \"%s\" -> \"%s\" [weight=%.3f];%n",
            edge.from(),
            edge.to(),
            edge.weight()));
    System.out.println("}");
  }
}
