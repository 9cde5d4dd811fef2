package dev.colony.cli;

import dev.colony.agent.author.JsonValues;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.terminal.Printable;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.mapping.PageGraph.WeightedEdge;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the page graph. */
@Command(name = "graph", description = "Shows which pages lead to which, the heaviest edges first.")
final class PagesGraphCommand extends PagesCommand.MapCommand {

  @Parameters(paramLabel = "MAP")
  private String id;

  @Option(names = "--dot", description = "Prints it in the language of Graphviz.")
  private boolean dot;

  @Mixin private LimitOption limit;

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
              .forEach(page -> labels.put(page.id(), page.segments().getFirst().file()));
          return heaviest;
        });
    return json.page(
        PageGraphView.of(edges),
        edges,
        dot ? dot(edges, labels) : "no edges",
        all -> dot ? dot(all, labels) : text(all, labels),
        Optional.empty());
  }

  private static String text(List<WeightedEdge> edges, Map<PageId, String> labels) {
    return edges.stream()
        .map(edge ->
            String.format(
                Locale.ROOT,
                "%.3f  %s %s -> %s %s",
                edge.weight(),
                edge.from(),
                labels.get(edge.from()),
                edge.to(),
                labels.get(edge.to())))
        .map(Printable::of)
        .collect(Collectors.joining("\n"));
  }

  private static String dot(List<WeightedEdge> edges, Map<PageId, String> labels) {
    StringBuilder text = new StringBuilder("digraph pages {\n");
    labels.forEach((page, label) ->
        text.append("  \"%s\" [label=%s];\n".formatted(page, JsonValues.toJson(label))));
    for (WeightedEdge edge : edges) {
      text.append(
          String.format(
              Locale.ROOT,
              "  \"%s\" -> \"%s\" [weight=%.3f];\n",
              edge.from(),
              edge.to(),
              edge.weight()));
    }
    return text.append("}").toString();
  }
}
