package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.PageCapability.Source;
import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.mapping.Traversal;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The page graph of a page map: which pages lead to which, walked, asked for a route and taught. It
 * is the graph that all agents of the map share.
 */
@Registered(
    value = "pages.graph",
    summary = "Walks the graph of which pages lead to which, and finds the way of a question.")
public final class PageGraphCapability extends AgentCapability {

  private static final int MOST_DEPTH = 64;
  private static final int MOST_PAGES = 500;

  /** Edges that a question is followed along the graph. */
  private static final int ROUTE_DEPTH = 3;

  /** Where the ranks of index and graph are fused, what flattens their first ones. */
  private static final double FUSION = 20;

  /**
   * A page that a walk has come to.
   *
   * @param depth edges from the start
   * @param weight of the heaviest path that was found to it, 1 of the first pages
   */
  public record Visited(String page, int depth, double weight, boolean cached) {}

  public record Led(String page, double weight) {}

  private final Source source;
  private final AgentPages pages;

  /**
   * @param source names a map
   */
  public PageGraphCapability(CapabilityContext context, Source source) {
    super(context);
    this.source = source;
    this.pages = new AgentPages(this::agent, source);
  }

  @ActionExecutor(
      key = "graph_traverse",
      summary = "Walks from pages to those that they lead to.",
      tags = "pages")
  List<Visited> traverse(
      @Param("ids of the pages to begin with") List<String> startPages,
      @Param(
              value = "bfs, the nearest first, or best_first, those that most leads to",
              defaultValue = "bfs")
          Optional<String> strategy,
      @Param(value = "how many edges to follow", defaultValue = "5")
          @Range(min = 0, max = MOST_DEPTH)
          Optional<Integer> maxDepth,
      @Param(value = "how many pages at most", defaultValue = "20")
          @Range(min = 1, max = MOST_PAGES)
          Optional<Integer> limit) {
    Traversal.Strategy walk =
        switch (strategy.orElse("bfs")) {
          case "bfs" -> Traversal.Strategy.BREADTH_FIRST;
          case "best_first" -> Traversal.Strategy.BEST_FIRST;
          default ->
              throw AgentException.refused("strategy is bfs or best_first, not " + strategy.get());
        };
    List<PageId> starts = startPages.stream().map(AgentPages::id).toList();
    PageTableSnapshot table = pages.snapshot();
    Traversal.Bounds bounds = new Traversal.Bounds(maxDepth.orElse(5), limit.orElse(20), 0, 1);
    return graph(graph -> {
      starts.stream()
          .filter(page -> !graph.pages().contains(page))
          .findFirst()
          .ifPresent(this::unknown);
      return Traversal.walk(graph, starts, walk, bounds, page -> resident(table, page), pages.now())
          .stream()
          .map(visit ->
              new Visited(
                  visit.page().value(),
                  visit.depth(),
                  visit.weight(),
                  resident(table, visit.page())))
          .toList();
    });
  }

  @ActionExecutor(
      key = "graph_leads_to",
      summary = "Lists the pages that a page leads to, the heaviest edges first.",
      tags = "pages")
  List<Led> leadsTo(@Param("id of the page") String page) {
    PageId from = AgentPages.id(page);
    return graph(graph -> {
      if (!graph.pages().contains(from)) {
        unknown(from);
      }
      return graph.from(from, pages.now()).stream()
          .map(to -> new Led(to.page().value(), to.weight()))
          .toList();
    });
  }

  @ActionExecutor(
      key = "graph_route",
      summary = "Says which pages a question is best put to, in which order.",
      tags = "pages")
  List<String> route(
      @Param("the question in plain words") String question,
      @Param("id of the page that asks; none if no page does") Optional<String> from,
      @Param(value = "how many pages at most", defaultValue = "20")
          @Range(min = 1, max = MOST_PAGES)
          Optional<Integer> limit) {
    int most = limit.orElse(20);
    List<PageId> found =
        pages.index().search(question, most + 1).stream().map(PageHit::page).toList();
    Optional<PageId> asking = from.map(AgentPages::id);
    List<PageId> starts = asking.map(List::of).orElse(found);
    PageTableSnapshot table = pages.snapshot();
    Traversal.Bounds bounds = new Traversal.Bounds(ROUTE_DEPTH, MOST_PAGES, 0, 1);
    List<PageId> led =
        graph(graph ->
                Traversal.walk(
                    graph,
                    starts,
                    Traversal.Strategy.BEST_FIRST,
                    bounds,
                    page -> resident(table, page),
                    pages.now()))
            .stream()
            .map(Traversal.Visit::page)
            .toList();
    return fused(found, led).stream()
        .filter(page -> !page.equals(asking.orElse(null)))
        .limit(most)
        .map(PageId::value)
        .toList();
  }

  /** One ranking of two, see Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion", 2009. */
  private static List<PageId> fused(List<PageId> one, List<PageId> other) {
    Map<PageId, Double> scores = new LinkedHashMap<>();
    for (List<PageId> ranking : List.of(one, other)) {
      for (int i = 0; i < ranking.size(); i++) {
        scores.merge(ranking.get(i), 1 / (FUSION + i), Double::sum);
      }
    }
    return scores.entrySet().stream()
        .sorted(Map.Entry.<PageId, Double>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  @ActionExecutor(
      key = "graph_learn",
      summary = "Teaches the graph which of the pages that a page's question was put to answered.",
      tags = "pages",
      retryable = false)
  void learn(
      @Param("id of the page that asked") String from,
      @Param("ids of the pages that were asked") List<String> asked,
      @Param("ids of those that answered") List<String> answered) {
    List<PageId> all = asked.stream().map(AgentPages::id).toList();
    List<PageId> some = answered.stream().map(AgentPages::id).toList();
    if (!all.containsAll(some)) {
      throw AgentException.refused("a page that answered is among those that were asked");
    }
    PageId page = AgentPages.id(from);
    AgentPages.asked(() -> {
      graphs().learn(map(), page, all, some);
      return page;
    });
  }

  /** Until its source is mapped again, or questions teach otherwise. */
  @ActionExecutor(
      key = "graph_update_edge",
      summary = "Gives the edge from one page to another a weight.",
      tags = "pages",
      excludeFromPlanning = true)
  void updateEdge(
      @Param("id of the page that it begins at") String source,
      @Param("id of the page that it leads to") String target,
      @Param("0 to 1; below 0.02 the edge goes") @Range(min = 0, max = 1) double weight) {
    PageId from = AgentPages.id(source);
    PageId to = AgentPages.id(target);
    if (from.equals(to)) {
      throw AgentException.refused("an edge leads from a page to another one");
    }
    if (!graphs().update(map(), from, to, weight)) {
      throw AgentException.refused("page %s or %s is not of map %s".formatted(from, to, map()));
    }
  }

  private <T> T graph(Function<PageGraph, T> work) {
    return graphs().with(map(), work);
  }

  private PageGraphs graphs() {
    return agent().service(PageGraphs.class);
  }

  private String map() {
    return source
        .map()
        .orElseThrow(() -> AgentException.refused("pages.graph needs the id of a page map"));
  }

  private void unknown(PageId page) {
    throw AgentException.refused("page %s is not of map %s".formatted(page, map()));
  }

  private static boolean resident(PageTableSnapshot table, PageId page) {
    return !table.replicasWith(page).isEmpty();
  }
}
