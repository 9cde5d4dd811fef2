package dev.colony.library.research;

import dev.colony.library.page.SourceTrees.RecentlyUsed;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import java.util.List;

/**
 * The indexes over the maps that were asked about last on this node, built from the page store when
 * a map is first asked about. Thread-safe; blocks, and builds one index at a time.
 */
public final class MapIndexes implements AutoCloseable {

  /** Each takes about as much memory as its pages' text. */
  private static final int KEPT = 4;

  private final PageStore pages;
  private final int threads;
  private final RecentlyUsed<String, PageIndex> byMap =
      new RecentlyUsed<>(KEPT, Long.MAX_VALUE, index -> 0, PageIndex::close);

  /**
   * @param threads how many of them build an index
   */
  public MapIndexes(PageStore pages, int threads) {
    this.pages = pages;
    this.threads = threads;
  }

  /**
   * The pages of a map that can answer a question, best first; empty means none can.
   *
   * @param queries the question, and others whose rankings are fused with its own
   */
  synchronized List<PageHit> search(PageMap map, List<String> queries, int limit) {
    return byMap
        .get(map.id(), id -> PageIndex.of(textOf(map), threads, PageIndex.PASSAGE_LINES))
        .search(queries, limit);
  }

  private List<VirtualContextPage> textOf(PageMap map) {
    List<PageId> ids = map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
    return pages.pages(ids);
  }

  @Override
  public synchronized void close() {
    byMap.close();
  }
}
