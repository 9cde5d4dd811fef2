package dev.colony.vcm;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where pages and page maps are kept, shared by all nodes. Thread-safe; no call blocks. */
public interface PageStore {

  /**
   * Stores the pages and the groups that are not there yet, then the map. Repeating it changes
   * nothing.
   */
  CompletionStage<Void> save(PageMap map, Collection<VirtualContextPage> pages);

  CompletionStage<Optional<PageMap>> map(String id);

  /** A group of any map that is stored; empty if there is none. */
  CompletionStage<Optional<PageGroup>> group(PageGroupId id);

  /** The pages in the order asked for; fails with {@link PageFault} where one is not stored. */
  CompletionStage<List<VirtualContextPage>> pages(List<PageId> ids);
}
