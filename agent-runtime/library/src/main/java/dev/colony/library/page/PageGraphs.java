package dev.colony.library.page;

import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.store.PageGraphStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The page graphs that were asked for last on this node. A graph is read from the store when it is
 * first asked for, and again after a minute. A service of the node. Thread-safe; blocks.
 */
public final class PageGraphs {

  /** Each takes about 200 bytes an edge. */
  private static final int KEPT = 4;

  /** After that long a graph is read anew, so that what other nodes have learned is heard of. */
  private static final Duration REFRESH = Duration.ofMinutes(1);

  private final PageGraphStore store;
  private final InstantSource clock;
  private final Map<String, Kept> byMap = new LinkedHashMap<>(16, 0.75f, true);

  /** A graph as it was read; none before it was. */
  private static final class Kept {
    private PageGraph graph;
    private Instant read;
  }

  public PageGraphs(PageGraphStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Does something with the graph of a map, which has no pages if none is stored. */
  public <T> T with(String map, Function<PageGraph, T> work) {
    Kept kept = kept(map);
    synchronized (kept) {
      return work.apply(read(map, kept));
    }
  }

  /** Has a graph learn that a question of a page was put to others, of which some had an answer. */
  public void learn(
      String map, PageId from, Collection<PageId> asked, Collection<PageId> answered) {
    Instant now = clock.instant();
    store.learn(map, from, asked, answered, now);
    // What is not read yet is read with what was stored.
    loaded(map, graph -> graph.learn(from, asked, answered, now));
  }

  /** Gives an edge a weight, see {@link PageGraphStore#update}; false if a page is unknown. */
  public boolean update(String map, PageId from, PageId to, double weight) {
    Instant now = clock.instant();
    boolean known = with(map, graph -> graph.pages().contains(from) && graph.pages().contains(to));
    if (known) {
      store.update(map, from, to, weight, now);
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
    Kept kept = byMap.computeIfAbsent(map, key -> new Kept());
    if (byMap.size() > KEPT) {
      byMap.remove(byMap.keySet().iterator().next());
    }
    return kept;
  }

  private PageGraph read(String map, Kept kept) {
    Instant now = clock.instant();
    if (kept.graph == null || Duration.between(kept.read, now).compareTo(REFRESH) > 0) {
      kept.graph = store.load(map);
      kept.read = now;
    }
    return kept.graph;
  }
}
