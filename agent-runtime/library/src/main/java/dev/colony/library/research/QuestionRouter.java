package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.author.Agent;
import dev.colony.agent.client.AgentHandle;
import dev.colony.library.page.PageGraphs;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.index.PassageHit;
import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
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
  private final Optional<PageGraphs> graphs;

  QuestionRouter(Agent agent) {
    asker = agent.id();
    analysts = agent.service(Analysts.class);
    pages = agent.pages();
    pageTable = agent.service(PageTable.class);
    placement = agent.service(PlacementPolicy.class);
    layout = agent.service(ClusterLayout.class);
    indexes = agent.service(MapIndexes.class);
    graphs = graphs(agent);
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
    PageMap map =
        await(pages.map(question.map()))
            .orElseThrow(
                () -> AgentException.refused("no page map " + question.map() + ": map it again"));
    List<PageHit> ranked = indexes.search(map, all, maxPages + without.size());
    List<PageHit> hits =
        followed(
            map,
            ranked.stream().filter(hit -> !without.contains(hit.page())).limit(maxPages).toList());
    hits = hits.stream().filter(hit -> !without.contains(hit.page())).toList();
    Map<PageGroup, List<PageHit>> wanted = byGroup(map, hits);
    ClusterView cluster = await(layout.view());
    await(
        pageTable.assign(
            wanted.keySet(), (groups, table) -> placement.assign(groups, table, cluster)));
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
        (group, found) -> routes.add(route(await(spawned.get(group)).id(), found, best)));
    return routes;
  }

  private List<PageHit> followed(PageMap map, List<PageHit> hits) {
    PageTableSnapshot known = pageTable.snapshot();
    return graphs
        .map(graph -> graph.followed(map.id(), hits, page -> !known.replicasWith(page).isEmpty()))
        .orElse(hits);
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

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
