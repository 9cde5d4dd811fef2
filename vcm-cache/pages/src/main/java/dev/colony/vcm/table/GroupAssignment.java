package dev.colony.vcm.table;

import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.util.List;

/**
 * The placement unit that a group of pages belongs to, once and for all.
 *
 * @param unit counted from 0
 */
public record GroupAssignment(PageGroupId group, int unit, List<PageId> pages, int sizeTokens) {

  public GroupAssignment {
    pages = List.copyOf(pages);
    if (unit < 0) {
      throw new IllegalArgumentException("unit is " + unit + ", must be 0 or more");
    }
  }
}
