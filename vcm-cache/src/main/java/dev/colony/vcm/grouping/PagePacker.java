package dev.colony.vcm.grouping;

import dev.colony.vcm.VirtualContextPage;
import java.util.List;
import java.util.stream.Collectors;

/** Packs pieces, in their order, into pages. */
final class PagePacker {

  private PagePacker() {}

  static List<PackedPage> pack(List<Piece> pieces, int pageSizeTokens) {
    int[] sizes = pieces.stream().mapToInt(Piece::sizeTokens).toArray();
    return Cuts.cut(
            sizes,
            pageSizeTokens,
            next -> Tie.looseness(pieces.get(next - 1).place(), pieces.get(next).place()))
        .stream()
        .map(run -> page(pieces.subList(run.from(), run.to())))
        .toList();
  }

  private static PackedPage page(List<Piece> pieces) {
    String text = pieces.stream().map(Piece::text).collect(Collectors.joining());
    // No token of the vocabulary spans a line feed and the mark of a header, so sizes add up.
    int sizeTokens = pieces.stream().mapToInt(Piece::sizeTokens).sum();
    return new PackedPage(
        new VirtualContextPage(
            ContentIds.page(text), text, sizeTokens, pieces.stream().map(Piece::segment).toList()),
        pieces.getFirst().place(),
        pieces.getLast().place());
  }
}
