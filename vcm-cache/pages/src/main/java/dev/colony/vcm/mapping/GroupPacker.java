package dev.colony.vcm.mapping;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.FileCutter.Cuts;
import dev.colony.vcm.mapping.FileCutter.Piece;
import dev.colony.vcm.mapping.MappedFile.FilePlace;
import dev.colony.vcm.mapping.PageRelations.Tie;
import dev.colony.vcm.source.CoChange;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Packs pages, in their order, into groups. */
final class GroupPacker {

  private GroupPacker() {}

  /**
   * The groups in the order of their pages.
   *
   * @param before groups of the same kind; one of the same pages is taken as it is
   */
  static List<PageGroup> pack(
      List<PackedPage> pages,
      GroupingSettings settings,
      CoChange coChange,
      Map<List<PageId>, PageGroup> before) {
    int[] sizes = new int[pages.size()];
    Arrays.fill(sizes, 1);
    return Cuts.cut(
            sizes,
            settings.pagesPerGroup(),
            next -> Tie.looseness(pages.get(next - 1).last(), pages.get(next).first(), coChange))
        .stream()
        .map(run -> group(pages.subList(run.from(), run.to()), settings.kind(), before))
        .toList();
  }

  /**
   * Why no cache can hold a page, or a mandatory group; empty where one can.
   *
   * @param cache tokens that the largest one holds; 0 where none is known
   */
  static Optional<String> tooLarge(List<PackedPage> pages, List<PageGroup> groups, long cache) {
    if (cache == 0) {
      return Optional.empty();
    }
    String than =
        "%d tokens, more than the %d of colony.vcm.grouping.cache-tokens that the largest cache"
            + " holds";
    return pages.stream()
        .filter(page -> page.sizeTokens() > cache)
        .findFirst()
        .map(page ->
            ("page %s with %s has " + than)
                .formatted(
                    page.known(), page.segments().getFirst().file(), page.sizeTokens(), cache))
        .or(() ->
            groups.stream()
                .filter(group -> group.kind() == PageGroup.Kind.MANDATORY)
                .filter(group -> group.sizeTokens() > cache)
                .findFirst()
                .map(group ->
                    ("the mandatory group %s of %s has " + than)
                        .formatted(group.id(), group.label(), group.sizeTokens(), cache)));
  }

  private static PageGroup group(
      List<PackedPage> pages, PageGroup.Kind kind, Map<List<PageId>, PageGroup> before) {
    List<PageId> ids = pages.stream().map(PackedPage::known).toList();
    PageGroup known = before.get(ids);
    if (known != null) {
      return known;
    }
    int sizeTokens = pages.stream().mapToInt(PackedPage::sizeTokens).sum();
    return new PageGroup(ContentIds.group(ids, kind), label(pages), ids, sizeTokens, kind);
  }

  /** The directory that all of them share; a dot is the root. */
  private static String label(List<PackedPage> pages) {
    List<String> directories =
        pages.stream()
            .flatMap(packed -> packed.segments().stream())
            .map(segment -> segment.file().substring(0, segment.file().lastIndexOf('/') + 1))
            .toList();
    String shared = directories.getFirst();
    for (String directory : directories) {
      while (!directory.startsWith(shared)) {
        shared = shared.substring(0, shared.lastIndexOf('/', shared.length() - 2) + 1);
      }
    }
    return shared.isEmpty() ? "." : shared.substring(0, shared.length() - 1);
  }

  /**
   * A page without its text, and what is needed to tell how it is tied to its neighbours.
   *
   * @param id empty as long as the text was not put together
   */
  record PackedPage(
      Optional<PageId> id, int sizeTokens, List<Piece> pieces, FilePlace first, FilePlace last) {

    PackedPage {
      pieces = List.copyOf(pieces);
    }

    PackedPage withId(PageId known) {
      return new PackedPage(Optional.of(known), sizeTokens, pieces, first, last);
    }

    PageId known() {
      return id.orElseThrow();
    }

    List<PageSegment> segments() {
      return pieces.stream().map(Piece::segment).toList();
    }
  }
}
