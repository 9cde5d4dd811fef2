package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.author.Agent;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Await;
import dev.colony.library.page.PageGraphs;
import dev.colony.library.page.SourceTrees;
import dev.colony.library.research.ResearchTypes.Analysts;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PlacementPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Says which analysts can answer a question: those whose pages an index finds for it. The analyst
 * of a group is the same agent for every question, so that its pages stay where it runs. Blocks.
 */
final class QuestionRouter {

  /** Of a page the best are told to who weighs its lines; the others count as what has no word. */
  private static final int PASSAGES_OF_PAGE = 16;

  private final AgentId asker;
  private final Analysts analysts;
  private final PageStore pages;
  private final PageTable pageTable;
  private final PlacementPolicy placement;
  private final ClusterLayout layout;
  private final MapIndexes indexes;

  QuestionRouter(Agent agent) {
    asker = agent.id();
    analysts = agent.service(Analysts.class);
    pages = agent.pages();
    pageTable = agent.service(PageTable.class);
    placement = agent.service(PlacementPolicy.class);
    layout = agent.service(ClusterLayout.class);
    indexes = agent.service(MapIndexes.class);
  }

  /**
   * The routes in the order of their best page; every analyst named exists.
   *
   * @param queries besides the question's own words
   * @param without pages that are left out
   */
  List<Route> route(Question question, List<String> queries, Set<PageId> without, int maxPages) {
    List<String> all = new ArrayList<>(List.of(question.text()));
    queries.stream().filter(query -> !query.isBlank()).forEach(all::add);
    PageMap map = SourceTrees.map(pages, question.map());
    List<PageHit> ranked = indexes.search(map, all, maxPages + without.size());
    List<PageHit> hits =
        ranked.stream().filter(hit -> !without.contains(hit.page())).limit(maxPages).toList();
    Map<PageGroup, List<PageHit>> wanted = byGroup(map, hits);
    ClusterView cluster = Await.result(layout.view());
    pageTable.assign(wanted.keySet(), (groups, table) -> placement.assign(groups, table, cluster));
    Map<PageGroup, CompletionStage<AgentHandle>> spawned = new LinkedHashMap<>();
    wanted.keySet().forEach(group -> spawned.put(group, analysts.of(asker, group.id())));
    double best =
        hits.stream()
            .flatMap(hit -> hit.passages().stream())
            .mapToDouble(PassageHit::score)
            .max()
            .orElse(1);
    List<Route> routes = new ArrayList<>();
    wanted.forEach(
        (group, found) -> routes.add(route(Await.result(spawned.get(group)).id(), found, best)));
    return routes;
  }

  /** The page graphs of the agent's node, where it has any. */
  static Optional<PageGraphs> graphs(Agent agent) {
    try {
      return Optional.of(agent.service(PageGraphs.class));
    } catch (AgentException none) {
      return Optional.empty();
    }
  }

  private static Map<PageGroup, List<PageHit>> byGroup(PageMap map, List<PageHit> hits) {
    Map<PageId, PageGroup> groupOf = new HashMap<>();
    map.groups().forEach(group -> group.pages().forEach(page -> groupOf.put(page, group)));
    Map<PageGroup, List<PageHit>> byGroup = new LinkedHashMap<>();
    hits.forEach(hit ->
        byGroup.computeIfAbsent(groupOf.get(hit.page()), group -> new ArrayList<>()).add(hit));
    return byGroup;
  }

  private static Route route(AgentId analyst, List<PageHit> found, double best) {
    List<Route.Passage> passages = new ArrayList<>();
    for (PageHit hit : found) {
      hit.passages().stream()
          .limit(PASSAGES_OF_PAGE)
          .forEach(one ->
              passages.add(
                  new Route.Passage(
                      hit.page().value(),
                      one.file(),
                      one.firstLine(),
                      one.lastLine(),
                      one.score() / best)));
    }
    return new Route(
        analyst.persistenceId(), found.stream().map(hit -> hit.page().value()).toList(), passages);
  }

  /**
   * An analyst to ask, and about which of its group's pages.
   *
   * @param passages those of the pages that the index finds for the question
   */
  record Route(String agent, List<String> pages, List<Route.Passage> passages) {

    /** What a line outside of all passages counts beside the most relevant one of its page. */
    private static final double ELSEWHERE = 0.1;

    /**
     * Lines of a page.
     *
     * @param lastLine the last of them
     * @param relevance to the question, by the index: more than 0, 1 for the most relevant of all
     */
    record Passage(String page, String file, int firstLine, int lastLine, double relevance) {

      boolean has(Evidence line) {
        return page.equals(line.page())
            && file.equals(line.file())
            && firstLine <= line.lastLine()
            && line.firstLine() <= lastLine;
      }
    }

    Route {
      pages = List.copyOf(pages);
      passages = List.copyOf(passages);
    }

    /**
     * How relevant a line of one of the pages is: as its passage is. A page of which no passage is
     * known came by what other questions have taught: its lines count as those beside the most
     * relevant passage of all.
     */
    double relevance(Evidence line) {
      return passages.stream()
          .filter(passage -> passage.has(line))
          .mapToDouble(Passage::relevance)
          .max()
          .orElseGet(() ->
              ELSEWHERE
                  * passages.stream()
                      .filter(passage -> passage.page().equals(line.page()))
                      .mapToDouble(Passage::relevance)
                      .max()
                      .orElse(1));
    }
  }
}
