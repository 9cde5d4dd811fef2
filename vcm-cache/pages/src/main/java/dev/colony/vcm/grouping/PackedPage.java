package dev.colony.vcm.grouping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageSegment;
import java.util.List;
import java.util.Optional;

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
