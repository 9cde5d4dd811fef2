package dev.colony.cli;

import dev.colony.blackboard.Blackboards;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.GraphStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    GraphStatistics graph =
        GraphStatistics.of(tenant.graph(blackboards, map), SHOWN, blackboards.clock().instant());
    List<VirtualContextPage> pages =
        tenant
            .pages(blackboards)
            .pages(graph.central().stream().map(GraphStatistics.Central::page).toList())
            .toCompletableFuture()
            .join();
    List<Central> central = new ArrayList<>();
    for (int i = 0; i < pages.size(); i++) {
      central.add(
          new Central(
              pages.get(i).id().value(),
              graph.central().get(i).rank(),
              pages.get(i).segments().getFirst().file()));
    }
    return new Statistics(
        map.source(),
        map.pages(),
        map.sizeTokens(),
        graph.edges(),
        graph.learned(),
        graph.clusters(),
        graph.largestClusters(),
        central);
  }
}
