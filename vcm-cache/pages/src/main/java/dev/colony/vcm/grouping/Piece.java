package dev.colony.vcm.grouping;

import dev.colony.vcm.PageSegment;

/**
 * A run of lines of one file that is not cut any further. Equal only to itself: a file that was
 * read anew has new pieces.
 */
final class Piece {

  private final MappedFile file;
  private final PageSegment segment;
  private final int sizeTokens;

  /**
   * @param sizeTokens of the text as it stands on a page, header line included
   */
  Piece(MappedFile file, PageSegment segment, int sizeTokens) {
    this.file = file;
    this.segment = segment;
    this.sizeTokens = sizeTokens;
  }

  MappedFile file() {
    return file;
  }

  PageSegment segment() {
    return segment;
  }

  int sizeTokens() {
    return sizeTokens;
  }
}
