package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.mapping.PageGraph.PageEdge;
import dev.colony.vcm.mapping.Parallel;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The page graphs of a tenant, one for each page map, in its scope's namespace {@code page-graph}:
 * one entry per page, with the edges that begin at it (about 80 bytes each). What several nodes
 * learn at the same time adds up, since each question is a transaction on the entry of the page
 * that asked. Thread-safe; calls block, and fail as the blackboard does.
 */
public final class PageGraphStore {

  private final Blackboard board;
  private final StoreSettings settings;

  /** Where the graphs of a tenant are. */
  public static Scope scope(String tenant) {
    return Scope.tenant(tenant).namespace("page-graph");
  }

  /**
   * Holds nothing.
   *
   * @param board of the tenant's {@link #scope}
   */
  public PageGraphStore(Blackboard board, StoreSettings settings) {
    this.board = board;
    this.settings = settings;
  }

  /**
   * Stores a graph in place of what is stored of its pages; to be called when a source was mapped,
   * since what others learn meanwhile is lost.
   *
   * @param map id of the page map
   */
  public void save(String map, PageGraph graph) {
    Parallel.blocking(
        settings.callsInFlight(),
        List.copyOf(graph.pages()),
        page -> Await.result(board.write(Write.of(key(map, page), json(graph, page)))));
  }

  /** The graph of a page map; without pages if none is stored. Reads all of it, page by page. */
  public PageGraph load(String map) {
    PageGraph graph = new PageGraph();
    Optional<Query> query = Optional.of(Query.keys(map + ":*").limit(settings.batchPages()));
    while (query.isPresent()) {
      Query asked = query.get();
      EntryPage page = Await.result(board.query(asked));
      for (Entry entry : page.entries()) {
        restore(graph, new PageId(entry.key().substring(map.length() + 1)), entry.value());
      }
      query = page.next().map(asked::from);
    }
    return graph;
  }

  /**
   * Stores what one question teaches, see {@link PageGraph#learn}. One transaction; of a page of
   * which nothing is stored nothing is learned.
   *
   * @param asked pages of the map
   */
  public void learn(
      String map, PageId from, Collection<PageId> asked, Collection<PageId> answered, Instant now) {
    change(map, from, asked, graph -> graph.learn(from, asked, answered, now));
  }

  /**
   * Gives an edge a weight, see {@link PageGraph#update}. One transaction; of a page of which
   * nothing is stored nothing is done.
   *
   * @param to a page of the map
   */
  public void update(String map, PageId from, PageId to, double weight, Instant now) {
    change(map, from, List.of(to), graph -> graph.update(from, to, weight, now));
  }

  private void change(
      String map, PageId from, Collection<PageId> others, Consumer<PageGraph> change) {
    String key = key(map, from);
    Await.result(
        board.transaction(tx ->
            tx.read(key)
                .thenCompose(found ->
                    found
                        .map(entry -> tx.write(Write.of(key, changed(entry, from, others, change))))
                        .orElseGet(() -> CompletableFuture.completedStage(null)))));
  }

  private static ObjectNode changed(
      Entry entry, PageId from, Collection<PageId> others, Consumer<PageGraph> change) {
    PageGraph one = new PageGraph();
    restore(one, from, entry.value());
    others.forEach(one::add);
    change.accept(one);
    return json(one, from);
  }

  private static String key(String map, PageId page) {
    return map + ":" + page;
  }

  private static ObjectNode json(PageGraph graph, PageId page) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    graph
        .edges(page)
        .forEach((to, edge) ->
            json.putArray(to.value())
                .add(edge.layout())
                .add(edge.asked())
                .add(edge.answered())
                .add(edge.at().toEpochMilli()));
    return json;
  }

  private static void restore(PageGraph graph, PageId page, JsonNode json) {
    graph.add(page);
    json.properties()
        .forEach(edge -> {
          JsonNode parts = edge.getValue();
          graph.restore(
              page,
              new PageId(edge.getKey()),
              new PageEdge(
                  parts.get(0).asDouble(),
                  parts.get(1).asDouble(),
                  parts.get(2).asDouble(),
                  Instant.ofEpochMilli(parts.get(3).asLong())));
        });
  }
}
