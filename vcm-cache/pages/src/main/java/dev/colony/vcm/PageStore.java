package dev.colony.vcm;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Where pages and page maps are kept, shared by all nodes. Thread-safe; no call blocks. */
public interface PageStore {

  /**
   * How a map is saved.
   *
   * @param before a map of the same store that is saved: what is in it is taken to be there
   * @param reference the spec of the source by which every reader of the store can read the texts;
   *     where it is given, the store keeps it in place of the texts. A page whose lines are others
   *     by then is a {@link PageFault}
   */
  record SaveOptions(Optional<PageMap> before, Optional<String> reference) {

    /** All is looked at, and the texts are kept. */
    public static final SaveOptions DEFAULTS = new SaveOptions(Optional.empty(), Optional.empty());
  }

  /**
   * Stores the pages and the groups that are not there yet, then the map. Repeating it changes
   * nothing.
   */
  default CompletionStage<Void> save(PageMap map, Collection<VirtualContextPage> pages) {
    return save(map, pages, SaveOptions.DEFAULTS);
  }

  /** The same, with options. */
  CompletionStage<Void> save(
      PageMap map, Collection<VirtualContextPage> pages, SaveOptions options);

  /** Stores pages that are in no map, or not yet. Repeating it changes nothing. */
  CompletionStage<Void> save(Collection<VirtualContextPage> pages);

  /** A map that is stored; empty if there is none. */
  CompletionStage<Optional<PageMap>> map(String id);

  /** All maps that are stored and may be read, in the order of their ids; each is read for that. */
  CompletionStage<List<StoredMap>> maps();

  /** A group of any map that is stored; empty if there is none. */
  CompletionStage<Optional<PageGroup>> group(PageGroupId id);

  /** The pages in the order asked for; fails with {@link PageFault} where one is not stored. */
  CompletionStage<List<VirtualContextPage>> pages(List<PageId> ids);

  /**
   * Which lines are on which page of a map that is stored. Reads an entry for each group, no texts.
   */
  CompletionStage<PageLines> lines(PageMap map);

  /**
   * The same pages as a tenant may read them: {@link #pages}, {@link #map}, {@link #group} and
   * {@link #lines} fail with {@link PageRefused} where a page of theirs is another tenant's own, or
   * of a higher class than the tenant is cleared for.
   *
   * @param tenant empty where nothing says on whose behalf they are read
   */
  PageStore of(String tenant);
}
