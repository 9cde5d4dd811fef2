package dev.colony.vcm.grouping;

import dev.colony.vcm.PageSegment;

/**
 * A run of lines of one file that is not cut any further.
 *
 * @param place where it comes from
 * @param text as it stands on a page: header line, lines, each ended by a line feed
 * @param sizeTokens of that text
 */
record Piece(FilePlace place, PageSegment segment, String text, int sizeTokens) {

  Piece at(FilePlace newPlace) {
    return new Piece(newPlace, segment, text, sizeTokens);
  }
}
