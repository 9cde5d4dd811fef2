package dev.colony.vcm.store;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * A page that is to be saved.
 *
 * @param text gives the page with its text, which may have to be read
 */
record SavedPage(
    PageId id, List<PageSegment> segments, PageLabel label, Supplier<VirtualContextPage> text) {

  static List<SavedPage> of(Collection<VirtualContextPage> pages) {
    List<SavedPage> all = new ArrayList<>(pages.size());
    if (pages instanceof PageList read) {
      for (int i = 0; i < read.size(); i++) {
        int index = i;
        all.add(new SavedPage(read.id(i), read.segments(i), read.label(), () -> read.get(index)));
      }
    } else {
      pages.forEach(
          page -> all.add(new SavedPage(page.id(), page.segments(), page.label(), () -> page)));
    }
    return all;
  }

  VirtualContextPage page() {
    return text.get();
  }
}
