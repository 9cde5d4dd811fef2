package dev.colony.vcm.mapping;

import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Makes one piece of a file that fits on a page, and consecutive ones of a larger file, cut between
 * lines and where it can be between declarations.
 */
final class FileCutter {

  /** Room for a header line beyond its path: marks, words and line numbers. */
  private static final int HEADER_TOKENS = 16;

  /**
   * Characters for each token of a page, of a text that is cut without being counted whole: no text
   * of words has so many.
   */
  private static final int LEAST_CHARS_OVER = 10;

  private final int pageSizeTokens;
  private final TokenCounter counter;

  FileCutter(int pageSizeTokens, TokenCounter counter) {
    this.pageSizeTokens = pageSizeTokens;
    this.counter = counter;
  }

  /** In the order of the file's lines, at least one. */
  List<Piece> cut(MappedFile file, String text) {
    FileLines lines = FileLines.of(text);
    if (lines.count() == 1) {
      return List.of(piece(file, lines, 0, 1));
    }
    if (text.length() <= (long) LEAST_CHARS_OVER * pageSizeTokens) {
      PageSegment all = new PageSegment(file.path(), 1, lines.count());
      int sizeTokens = counter.count(PageText.of(all, lines), pageSizeTokens);
      if (sizeTokens <= pageSizeTokens) {
        return List.of(new Piece(file, all, sizeTokens));
      }
    }
    int[] sizes = new int[lines.count()];
    for (int line = 0; line < sizes.length; line++) {
      sizes[line] = counter.count(PageText.numbered(line + 1, lines.text(line, line + 1)));
    }
    int room = Math.max(1, pageSizeTokens - HEADER_TOKENS - counter.count(file.path()));
    List<Piece> pieces = new ArrayList<>();
    for (Cuts.Run run : Cuts.cut(sizes, room, lines::looseness)) {
      pieces.add(piece(file, lines, run.from(), run.to()));
    }
    return pieces;
  }

  private Piece piece(MappedFile file, FileLines lines, int from, int to) {
    PageSegment segment = new PageSegment(file.path(), from + 1, to);
    return new Piece(file, segment, counter.count(PageText.of(segment, lines)));
  }

  /**
   * A run of lines of one file that is not cut any further. Equal only to itself: a file that was
   * read anew has new pieces.
   */
  static final class Piece {

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

  /**
   * Cuts a sequence of sized elements into runs that fit a capacity. From left to right, each run
   * ends at the best boundary within reach: the looser the tie across it and the fuller the run,
   * the better. Boundaries far from a change are chosen as before, because looseness is local.
   */
  static final class Cuts {

    /** Shorter runs than this share of the capacity are made only where nothing else fits. */
    private static final double LEAST_FILL = 0.4;

    private Cuts() {}

    /** The elements from one index, inclusive, to another, exclusive. */
    record Run(int from, int to) {}

    /**
     * Each element is in exactly one run, in order. A run exceeds the capacity only if it is a
     * single element that does.
     *
     * @param looseness of the boundary before an element, 0 to 1
     */
    static List<Run> cut(int[] sizes, int capacity, IntToDoubleFunction looseness) {
      List<Run> runs = new ArrayList<>();
      for (int from = 0; from < sizes.length; ) {
        int to = end(sizes, from, capacity, looseness);
        runs.add(new Run(from, to));
        from = to;
      }
      return runs;
    }

    private static int end(int[] sizes, int from, int capacity, IntToDoubleFunction looseness) {
      int best = from + 1;
      double bestScore = -1;
      long filled = 0;
      for (int next = from; next < sizes.length; next++) {
        double fill = (double) filled / capacity;
        if (next > from) {
          double score = fill < LEAST_FILL ? 0 : fill + looseness.applyAsDouble(next);
          // Later is better among equals, also among those below the least fill.
          if (score >= bestScore) {
            bestScore = score;
            best = next;
          }
        }
        filled += sizes[next];
        if (filled > capacity) {
          return best;
        }
      }
      return sizes.length;
    }
  }
}
