package dev.colony.vcm;

import java.util.List;

/**
 * Pages that belong together and are placed together.
 *
 * @param label where they come from, for people: the directory they share
 */
public record PageGroup(PageGroupId id, String label, List<PageId> pages, int sizeTokens) {

  public PageGroup {
    pages = List.copyOf(pages);
  }
}
