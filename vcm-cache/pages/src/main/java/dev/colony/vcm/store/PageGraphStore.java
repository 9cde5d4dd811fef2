package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageId;
import dev.colony.vcm.graph.PageEdge;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.work.InFlight;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The page graphs of a tenant, one for each page map, in its scope's namespace {@code page-graph}:
 * one entry per page, with the edges that begin at it (about 80 bytes each). What several nodes
 * learn at the same time adds up, since each question is a transaction on the entry of the page
 * that asked. Thread-safe; stages fail as the blackboard does.
 */
public final class PageGraphStore {

  private final Blackboard board;
  private final GraphSettings graphs;
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
  public PageGraphStore(Blackboard board, GraphSettings graphs, StoreSettings settings) {
    this.board = board;
    this.graphs = graphs;
    this.settings = settings;
  }

  /**
   * Stores a graph in place of what is stored of its pages; to be called when a source was mapped,
   * since what others learn meanwhile is lost.
   *
   * @param map id of the page map
   */
  public CompletionStage<Void> save(String map, PageGraph graph) {
    return InFlight.map(
            List.copyOf(graph.pages()),
            settings.callsInFlight(),
            page -> board.write(Write.of(key(map, page), json(graph, page))))
        .thenApply(written -> null);
  }

  /** The graph of a page map; without pages if none is stored. Reads all of it, page by page. */
  public CompletionStage<PageGraph> load(String map) {
    return load(Query.keys(map + ":*").limit(settings.batchPages()), map, new PageGraph(graphs));
  }

  private CompletionStage<PageGraph> load(Query query, String map, PageGraph graph) {
    return board
        .query(query)
        .thenCompose(page -> {
          for (Entry entry : page.entries()) {
            restore(graph, new PageId(entry.key().substring(map.length() + 1)), entry.value());
          }
          return page.next()
              .map(next -> load(query.from(next), map, graph))
              .orElseGet(() -> CompletableFuture.completedStage(graph));
        });
  }

  /**
   * Stores what one question teaches, see {@link PageGraph#learn}. One transaction; of a page of
   * which nothing is stored nothing is learned.
   *
   * @param asked pages of the map
   */
  public CompletionStage<Void> learn(
      String map, PageId from, Collection<PageId> asked, Collection<PageId> answered, Instant now) {
    return change(map, from, asked, graph -> graph.learn(from, asked, answered, now));
  }

  /**
   * Gives an edge a weight, see {@link PageGraph#update}. One transaction; of a page of which
   * nothing is stored nothing is done.
   *
   * @param to a page of the map
   */
  public CompletionStage<Void> update(
      String map, PageId from, PageId to, double weight, Instant now) {
    return change(map, from, List.of(to), graph -> graph.update(from, to, weight, now));
  }

  private CompletionStage<Void> change(
      String map, PageId from, Collection<PageId> others, Consumer<PageGraph> change) {
    return board.transaction(tx ->
        tx.read(key(map, from))
            .thenCompose(found -> {
              Optional<ObjectNode> changed =
                  found.map(entry -> {
                    PageGraph one = new PageGraph(graphs);
                    restore(one, from, entry.value());
                    others.forEach(one::add);
                    change.accept(one);
                    return json(one, from);
                  });
              return changed
                  .map(json -> tx.write(Write.of(key(map, from), json)))
                  .orElseGet(() -> CompletableFuture.completedStage(null));
            }));
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
