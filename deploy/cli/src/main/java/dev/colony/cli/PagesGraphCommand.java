package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.schema.JsonValues;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.graph.PageGraph.WeightedEdge;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
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

  /** How it is drawn. */
  static final class Form {

    @Option(names = "--dot", description = "Prints it in the language of Graphviz.")
    private boolean dot;

    @Option(names = "--svg", description = "Prints it as a drawing, in SVG.")
    private boolean svg;
  }

  @ArgGroup private Form form;

  @Mixin private LimitOption limit;

  @Mixin private JsonOption json;

  @Mixin private PagesCommand.Tenant tenant;

  @Override
  public Integer call() {
    int most = limit.checked();
    Map<PageId, String> labels = new TreeMap<>();
    List<WeightedEdge> edges =
        tenant.with(blackboards -> {
          PageMap map = tenant.map(blackboards, id);
          List<WeightedEdge> heaviest =
              tenant.graph(blackboards, map).heaviest(most, blackboards.clock().instant());
          TreeSet<PageId> shown = new TreeSet<>();
          heaviest.forEach(edge -> shown.addAll(List.of(edge.from(), edge.to())));
          tenant
              .pages(blackboards)
              .pages(List.copyOf(shown))
              .toCompletableFuture()
              .join()
              .forEach(page -> labels.put(page.id(), page.segments().getFirst().file()));
          return heaviest;
        });
    if (json.given()) {
      PagesCommand.print(PageGraphView.of(edges));
    } else if (form == null) {
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
    } else if (form.svg) {
      System.out.println(new GraphDrawing(edges, labels).svg());
    } else {
      printDot(edges, labels);
    }
    return ExitCode.OK.status();
  }

  private static void printDot(List<WeightedEdge> edges, Map<PageId, String> labels) {
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
