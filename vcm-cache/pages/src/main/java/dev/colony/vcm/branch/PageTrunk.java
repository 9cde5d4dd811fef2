package dev.colony.vcm.branch;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A map with what was merged into it. Immutable.
 *
 * @param base the pages of the map, in its order
 */
public record PageTrunk(List<PageId> base, PageOverlay overlay) {

  public PageTrunk {
    base = List.copyOf(base);
  }

  /** A map that nothing was merged into. */
  public static PageTrunk of(PageMap map) {
    return new PageTrunk(
        map.groups().stream().flatMap(group -> group.pages().stream()).toList(), PageOverlay.NONE);
  }

  /** What stands at an address; empty where there is none, or it was removed. */
  public Optional<PageId> at(PageId address) {
    return overlay.at(address, base.contains(address) ? Optional.of(address) : Optional.empty());
  }

  /** All pages: those of the map in its order, then those that were added, by their addresses. */
  public List<PageId> pages() {
    return pages(base, overlay);
  }

  static List<PageId> pages(List<PageId> base, PageOverlay overlay) {
    Set<PageId> own = new HashSet<>(base);
    List<PageId> pages = new ArrayList<>();
    base.forEach(address -> overlay.at(address, Optional.of(address)).ifPresent(pages::add));
    overlay
        .written()
        .forEach((address, page) -> {
          if (!own.contains(address)) {
            page.ifPresent(pages::add);
          }
        });
    return pages;
  }
}
