package dev.colony.vcm.branch;

import dev.colony.vcm.PageId;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What stands at the addresses of a map in place of the map's own pages. The address of a page of
 * the map is that page's id; that of an added page is the id of the page that was added there
 * first. Immutable.
 *
 * @param written by address, in their order; empty where the page was removed
 */
public record PageOverlay(SortedMap<PageId, Optional<PageId>> written) {

  /** Everything is as the map has it. */
  public static final PageOverlay NONE = new PageOverlay(new TreeMap<>());

  public PageOverlay {
    written = Collections.unmodifiableSortedMap(new TreeMap<>(written));
  }

  /**
   * What stands at an address; empty where the page was removed.
   *
   * @param below what stands there where this overlay has nothing
   */
  Optional<PageId> at(PageId address, Optional<PageId> below) {
    return written.containsKey(address) ? written.get(address) : below;
  }

  PageOverlay with(PageId address, Optional<PageId> page) {
    TreeMap<PageId, Optional<PageId>> more = new TreeMap<>(written);
    more.put(address, page);
    return new PageOverlay(more);
  }

  PageOverlay without(PageId address) {
    TreeMap<PageId, Optional<PageId>> less = new TreeMap<>(written);
    less.remove(address);
    return new PageOverlay(less);
  }

  PageOverlay with(Map<PageId, Optional<PageId>> others) {
    TreeMap<PageId, Optional<PageId>> more = new TreeMap<>(written);
    more.putAll(others);
    return new PageOverlay(more);
  }
}
