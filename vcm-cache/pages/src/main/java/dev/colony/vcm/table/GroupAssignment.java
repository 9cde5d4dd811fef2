package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.util.Collection;
import java.util.List;

/**
 * The placement unit that a group of pages belongs to, once and for all.
 *
 * @param unit counted from 0
 */
public record GroupAssignment(
    PageGroupId group, int unit, List<PageId> pages, int sizeTokens, PageGroup.Kind kind) {

  public GroupAssignment {
    pages = List.copyOf(pages);
    if (unit < 0) {
      throw new IllegalArgumentException("unit is " + unit + ", must be 0 or more");
    }
  }

  /** Of an advisory group. */
  public GroupAssignment(PageGroupId group, int unit, List<PageId> pages, int sizeTokens) {
    this(group, unit, pages, sizeTokens, PageGroup.Kind.ADVISORY);
  }

  /**
   * Whether the group's reader has its pages: each in some cache, or those of a mandatory group all
   * in one.
   *
   * @param caches the pages in each replica's cache
   */
  public boolean resident(Collection<? extends Collection<PageId>> caches) {
    return switch (kind) {
      case ADVISORY ->
          pages.stream().allMatch(page -> caches.stream().anyMatch(cache -> cache.contains(page)));
      case MANDATORY -> caches.stream().anyMatch(cache -> cache.containsAll(pages));
    };
  }
}
