package dev.colony.library.research;

import dev.colony.library.policy.PromptFit;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.grouping.PageText;
import dev.colony.vcm.grouping.PageText.SegmentLines;
import java.util.ArrayList;
import java.util.List;

/** Parts of a page, cut between two lines, for a model that does not take it as a whole. */
final class PageParts {

  private PageParts() {}

  /**
   * Parts of at most so many tokens each, in their order; a line that alone has more is a part.
   *
   * @param segments of the page, or of a part of it
   */
  static List<List<SegmentLines>> of(List<SegmentLines> segments, long tokens) {
    List<List<SegmentLines>> parts = new ArrayList<>();
    List<SegmentLines> part = new ArrayList<>();
    long used = 0;
    for (SegmentLines segment : segments) {
      int first = segment.segment().firstLine();
      int from = 0;
      long header = PromptFit.tokens(text(lines(segment, 0, 0)));
      used += header;
      for (int i = 0; i < segment.lines().size(); i++) {
        long line = 1L + PromptFit.tokens(PageText.numbered(first + i, segment.lines().get(i)));
        if (used + line > tokens && !(part.isEmpty() && i == from)) {
          if (i > from) {
            part.add(lines(segment, from, i));
          }
          parts.add(part);
          part = new ArrayList<>();
          from = i;
          used = header;
        }
        used += line;
      }
      part.add(lines(segment, from, segment.lines().size()));
    }
    parts.add(part);
    return parts;
  }

  private static SegmentLines lines(SegmentLines whole, int from, int to) {
    PageSegment segment = whole.segment();
    int first = segment.firstLine() + from;
    return new SegmentLines(
        new PageSegment(segment.file(), first, Math.max(first, segment.firstLine() + to - 1)),
        whole.lines().subList(from, to));
  }

  /** A part as it would stand on a page of its own. */
  static String text(List<SegmentLines> part) {
    StringBuilder text = new StringBuilder();
    part.forEach(one -> text.append(text(one)));
    return text.toString();
  }

  private static String text(SegmentLines lines) {
    PageSegment segment = lines.segment();
    return text(segment.file(), segment.firstLine(), segment.lastLine(), lines.lines());
  }

  /** Lines of a file as they stand on a page. */
  static String text(String file, int first, int last, List<String> lines) {
    StringBuilder text = new StringBuilder("=== ").append(file);
    text.append(" (lines ").append(first).append('-').append(last).append(")\n");
    for (int i = 0; i < lines.size(); i++) {
      text.append(PageText.numbered(first + i, lines.get(i))).append('\n');
    }
    return text.toString();
  }
}
