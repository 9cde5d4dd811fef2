package dev.colony.vcm;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Where pages and page maps are kept, shared by all nodes. Thread-safe; calls block. */
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
  default void save(PageMap map, Collection<VirtualContextPage> pages) {
    save(map, pages, SaveOptions.DEFAULTS);
  }

  /** The same, with options. */
  void save(PageMap map, Collection<VirtualContextPage> pages, SaveOptions options);

  /** Stores pages that are in no map, or not yet. Repeating it changes nothing. */
  void save(Collection<VirtualContextPage> pages);

  /** A map that is stored; empty if there is none. */
  Optional<PageMap> map(String id);

  /** All maps that are stored and may be read, in the order of their ids; each is read for that. */
  List<StoredMap> maps();

  /** A group of any map that is stored; empty if there is none. */
  Optional<PageGroup> group(PageGroupId id);

  /** The pages in the order asked for; fails with {@link PageFault} where one is not stored. */
  List<VirtualContextPage> pages(List<PageId> ids);

  /**
   * Which lines are on which page of a map that is stored. Reads an entry for each group, no texts.
   */
  PageLines lines(PageMap map);

  /**
   * The same pages as a tenant may read them: {@link #pages}, {@link #map}, {@link #group} and
   * {@link #lines} fail with {@link PageRefused} where a page of theirs is another tenant's own, or
   * of a higher class than the tenant is cleared for.
   *
   * @param tenant empty where nothing says on whose behalf they are read
   */
  PageStore of(String tenant);

  /**
   * A page map as it is listed.
   *
   * @param id of the map
   * @param source where it came from, for people
   * @param files how many files were read
   * @param pages how many it has
   * @param sizeTokens of all of them
   * @param mappedAt when it was stored, by the cluster time
   */
  record StoredMap(
      String id, String source, int files, int pages, long sizeTokens, Instant mappedAt) {}

  /** A page, or a map or group with it, may not be read by the tenant that asks for it. */
  final class PageRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * In one line.
     *
     * @param why as what follows the page's name
     */
    public PageRefused(PageId page, String why) {
      this("page " + page, why);
    }

    /**
     * In one line.
     *
     * @param what a map or a group, with its name
     * @param why of the page in it that is refused
     */
    public PageRefused(String what, String why) {
      super(what + " " + why);
    }
  }

  /** A page that was asked for is not stored anywhere. */
  final class PageFault extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** It is not in the store. */
    public PageFault(PageId page) {
      this(page, "is not in the page store");
    }

    /**
     * It cannot be had for another reason.
     *
     * @param why as what follows the page's name
     */
    public PageFault(PageId page, String why) {
      super("page " + page + " " + why + ": map its source again");
    }
  }
}
