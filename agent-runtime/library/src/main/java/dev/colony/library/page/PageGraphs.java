package dev.colony.library.page;

import dev.colony.vcm.PageId;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.graph.QueryRouter;
import dev.colony.vcm.graph.Traversal;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.settings.QuerySettings;
import dev.colony.vcm.store.PageGraphStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The page graphs that were asked for last on this node, with a router each, which learns from the
 * questions of this node. A graph is read from the store when it is first asked for, and again once
 * it is older than {@code colony.vcm.query.refresh}, so that what other nodes have learned is heard
 * of. A service of the node. Thread-safe; blocks.
 */
public final class PageGraphs {

  /** Each takes about 200 bytes an edge. */
  private static final int KEPT = 4;

  /** Hits that the graph is followed from. */
  private static final int SEEDS = 3;

  private final PageGraphStore store;
  private final QuerySettings settings;
  private final InstantSource clock;
  private final Map<String, Kept> byMap = new LinkedHashMap<>(16, 0.75f, true);

  /** A graph as it was read, and what routes over it. */
  private static final class Kept {
    private final QueryRouter router;
    private PageGraph graph;
    private Instant read;

    Kept(QueryRouter router) {
      this.router = router;
    }
  }

  public PageGraphs(PageGraphStore store, QuerySettings settings, InstantSource clock) {
    this.store = store;
    this.settings = settings;
    this.clock = clock;
  }

  /** Does something with the graph of a map, which has no pages if none is stored. */
  public <T> T with(String map, Function<PageGraph, T> work) {
    Kept kept = kept(map);
    synchronized (kept) {
      return work.apply(read(map, kept));
    }
  }

  /** What a router is asked, over the graph of a map. */
  @FunctionalInterface
  public interface Routing<T> {
    T over(QueryRouter router, PageGraph graph, Instant now);
  }

  /** Asks the router of a map, or has it learn from a question that has ended. */
  public <T> T route(String map, Routing<T> routing) {
    Kept kept = kept(map);
    synchronized (kept) {
      PageGraph graph = read(map, kept);
      return routing.over(kept.router, graph, clock.instant());
    }
  }

  /**
   * Has a graph learn that a question of a page was put to others, of which some had an answer;
   * done when it is stored.
   */
  public CompletionStage<Void> learn(
      String map, PageId from, Collection<PageId> asked, Collection<PageId> answered) {
    Instant now = clock.instant();
    return store
        .learn(map, from, asked, answered, now)
        .thenAccept(stored ->
            // What is not read yet is read with what was stored.
            loaded(map, graph -> graph.learn(from, asked, answered, now)));
  }

  /**
   * The hits of an index, of which the last {@code colony.vcm.query.followed} make room for pages
   * that the graph leads to from the first ones, once it has learned from {@code settled} answers.
   *
   * @param hits best first
   * @param resident whether some cache holds a page; among equals these go first
   */
  public List<PageHit> followed(String map, List<PageHit> hits, Predicate<PageId> resident) {
    int kept = Math.max(Math.min(hits.size(), SEEDS), hits.size() - settings.followed());
    if (kept == hits.size()) {
      return hits;
    }
    return with(
        map,
        graph -> {
          Instant now = clock.instant();
          if (graph.statistics(now).learned() < settings.settled()) {
            return hits;
          }
          Map<PageId, PageHit> all = new LinkedHashMap<>();
          hits.subList(0, kept).forEach(hit -> all.put(hit.page(), hit));
          double least = hits.get(kept - 1).score();
          List<PageId> seeds = hits.stream().limit(SEEDS).map(PageHit::page).toList();
          Traversal.Bounds bounds =
              new Traversal.Bounds(settings.depth(), SEEDS + hits.size(), 0, settings.absent());
          Traversal.walk(graph, seeds, Traversal.Strategy.BEST_FIRST, bounds, resident, now)
              .forEach(visit ->
                  all.putIfAbsent(visit.page(), new PageHit(visit.page(), least * visit.weight())));
          hits.forEach(hit -> all.putIfAbsent(hit.page(), hit));
          return all.values().stream().limit(hits.size()).toList();
        });
  }

  /** Gives an edge a weight, see {@link PageGraphStore#update}; false if a page is unknown. */
  public boolean update(String map, PageId from, PageId to, double weight) {
    Instant now = clock.instant();
    boolean known = with(map, graph -> graph.pages().contains(from) && graph.pages().contains(to));
    if (known) {
      store.update(map, from, to, weight, now).toCompletableFuture().join();
      loaded(map, graph -> graph.update(from, to, weight, now));
    }
    return known;
  }

  private void loaded(String map, Consumer<PageGraph> change) {
    Kept kept = kept(map);
    synchronized (kept) {
      if (kept.graph != null) {
        change.accept(kept.graph);
      }
    }
  }

  private synchronized Kept kept(String map) {
    Kept kept = byMap.computeIfAbsent(map, key -> new Kept(new QueryRouter(settings)));
    if (byMap.size() > KEPT) {
      byMap.remove(byMap.keySet().iterator().next());
    }
    return kept;
  }

  private PageGraph read(String map, Kept kept) {
    Instant now = clock.instant();
    if (kept.graph == null || Duration.between(kept.read, now).compareTo(settings.refresh()) > 0) {
      kept.graph = store.load(map).toCompletableFuture().join();
      kept.read = now;
    }
    return kept.graph;
  }
}
