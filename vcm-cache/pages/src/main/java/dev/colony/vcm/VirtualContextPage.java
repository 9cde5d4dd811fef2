package dev.colony.vcm;

import java.util.List;

/**
 * One page: a text that a model call can carry, made of runs of lines of related files.
 *
 * <p>The text is what stands in the prompt. Each segment in it begins with a header line {@code ===
 * path (lines first-last)}, followed by the lines themselves.
 *
 * @param sizeTokens counted with the vocabulary of {@code colony.vcm.grouping.tokenizer}; other
 *     models count a little differently
 */
public record VirtualContextPage(
    PageId id, String text, int sizeTokens, List<PageSegment> segments, PageLabel label) {

  public VirtualContextPage {
    segments = List.copyOf(segments);
  }

  /** One that all may read. */
  public VirtualContextPage(PageId id, String text, int sizeTokens, List<PageSegment> segments) {
    this(id, text, sizeTokens, segments, PageLabel.NONE);
  }

  /**
   * A run of lines of one file within a page.
   *
   * @param file relative to the source's root, with forward slashes
   * @param firstLine counted from 1, inclusive
   * @param lastLine inclusive
   */
  public record PageSegment(String file, int firstLine, int lastLine) {}
}
