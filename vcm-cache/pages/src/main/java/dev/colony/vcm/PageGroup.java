package dev.colony.vcm;

import java.util.List;

/**
 * Pages that belong together and are placed together.
 *
 * @param label where they come from, for people: the directory they share
 * @param kind whether some of them are of use without the others
 */
public record PageGroup(
    PageGroupId id, String label, List<PageId> pages, int sizeTokens, PageGroup.Kind kind) {

  /** What it means that only some of the pages are in a cache. */
  public enum Kind {
    /** Those that are there are of use. */
    ADVISORY,
    /** Its reader reads all of them from one cache, or waits: some of them are none. */
    MANDATORY
  }

  public PageGroup {
    pages = List.copyOf(pages);
  }

  /** An advisory one. */
  public PageGroup(PageGroupId id, String label, List<PageId> pages, int sizeTokens) {
    this(id, label, pages, sizeTokens, Kind.ADVISORY);
  }
}
