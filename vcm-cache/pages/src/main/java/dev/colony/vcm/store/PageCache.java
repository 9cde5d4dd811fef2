package dev.colony.vcm.store;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Optional;

/** The pages used last, up to a number of bytes of text. Thread-safe. */
final class PageCache {

  private final long capacityBytes;
  private final LinkedHashMap<PageId, VirtualContextPage> pages =
      new LinkedHashMap<>(16, 0.75f, true);
  private long heldBytes;

  PageCache(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  synchronized Optional<VirtualContextPage> get(PageId id) {
    return Optional.ofNullable(pages.get(id));
  }

  synchronized void put(VirtualContextPage page) {
    if (pages.put(page.id(), page) != null) {
      return; // equal ids are equal pages
    }
    heldBytes += bytes(page);
    Iterator<VirtualContextPage> eldest = pages.values().iterator();
    while (heldBytes > capacityBytes && eldest.hasNext()) {
      heldBytes -= bytes(eldest.next());
      eldest.remove();
    }
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  /** An upper bound: Java keeps Latin-1 text in one byte a character. */
  private static long bytes(VirtualContextPage page) {
    return 2L * page.text().length();
  }
}
