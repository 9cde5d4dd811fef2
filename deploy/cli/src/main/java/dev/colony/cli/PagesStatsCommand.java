package dev.colony.cli;

import dev.colony.blackboard.Blackboards;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.LabelPropagation;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.PageRank;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says how large a map and its graph are. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    description = "Says how large a map and its graph are, its clusters and most central pages.")
final class PagesStatsCommand implements Callable<Integer> {

  private static final int SHOWN = 5;

  @Parameters(paramLabel = "MAP")
  private String id;

  @Mixin private JsonOption json;

  @Mixin private PagesCommand.Tenant tenant;

  /** The figures. */
  record Statistics(
      String source,
      int pages,
      long sizeTokens,
      long edges,
      long learnedEdges,
      int clusters,
      List<Integer> largestClusters,
      List<Central> central) {}

  /** A page that much leads to. */
  record Central(String page, double rank, String file) {}

  @Override
  public Integer call() {
    Statistics statistics = tenant.with(this::statistics);
    if (json.given()) {
      PagesCommand.print(statistics);
      return ExitCode.OK.status();
    }
    System.out.println(
        Printable.of(
            String.format(
                Locale.ROOT,
                "%s: %d pages, %,d tokens; %d edges, %d of them learned; %d clusters, the largest"
                    + " of %s pages",
                statistics.source(),
                statistics.pages(),
                statistics.sizeTokens(),
                statistics.edges(),
                statistics.learnedEdges(),
                statistics.clusters(),
                statistics.largestClusters().stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ")))));
    statistics
        .central()
        .forEach(one ->
            System.out.println(
                Printable.of(
                    String.format(
                        Locale.ROOT, "%.4f  %s %s", one.rank(), one.page(), one.file()))));
    return ExitCode.OK.status();
  }

  private Statistics statistics(Blackboards blackboards) {
    PageMap map = tenant.map(blackboards, id);
    PageGraph graph = tenant.graph(blackboards, map);
    Instant now = blackboards.clock().instant();
    PageGraph.Statistics size = graph.statistics(now);
    List<TreeSet<PageId>> clusters = LabelPropagation.clusters(graph, now);
    List<Map.Entry<PageId, Double>> ranks =
        PageRank.of(graph, now).entrySet().stream()
            .sorted(Map.Entry.<PageId, Double>comparingByValue().reversed())
            .limit(SHOWN)
            .toList();
    List<VirtualContextPage> pages =
        tenant
            .pages(blackboards)
            .pages(ranks.stream().map(Map.Entry::getKey).toList())
            .toCompletableFuture()
            .join();
    List<Central> central = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      central.add(
          new Central(
              ranks.get(i).getKey().value(),
              ranks.get(i).getValue(),
              pages.get(i).segments().getFirst().file()));
    }
    return new Statistics(
        map.source(),
        map.pages(),
        map.sizeTokens(),
        size.edges(),
        size.learned(),
        clusters.size(),
        clusters.stream().limit(SHOWN).map(TreeSet::size).toList(),
        central);
  }
}
