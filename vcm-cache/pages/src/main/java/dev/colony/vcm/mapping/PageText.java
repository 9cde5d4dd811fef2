package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The text form of a page: per segment a header line, then its lines, each line whose number is a
 * multiple of {@value #NUMBERED_EVERY} behind that number and a tab. So a model can say where it
 * reads; the numbers take about 3.5 % of a page of source text, where all lines' would take 18 %. A
 * line of a file may look like a header or a numbered line, so a page is read with its segments'
 * line counts, never by looking for either.
 */
public final class PageText {

  /** Lines whose number is a multiple of this show it. */
  public static final int NUMBERED_EVERY = 5;

  private PageText() {}

  /** A segment with its lines, without line feeds; they are numbered from its first line on. */
  public record SegmentLines(PageSegment segment, List<String> lines) {
    public SegmentLines {
      lines = List.copyOf(lines);
    }
  }

  /**
   * The segments' lines in the order of the page.
   *
   * @throws IllegalStateException if the text is not that of its segments
   */
  public static List<SegmentLines> segments(VirtualContextPage page) {
    FileLines lines = FileLines.of(page.text());
    List<SegmentLines> segments = new ArrayList<>();
    int at = 0;
    for (PageSegment segment : page.segments()) {
      int size = segment.lastLine() - segment.firstLine() + 1;
      boolean fits = at + 1 + size <= lines.count();
      if (!fits || !line(lines, at).equals(header(segment))) {
        throw new IllegalStateException("page " + page.id() + " lacks " + header(segment));
      }
      List<String> own = new ArrayList<>(size);
      for (int i = 1; i <= size; i++) {
        own.add(unnumbered(segment.firstLine() + i - 1, line(lines, at + i)));
      }
      segments.add(new SegmentLines(segment, own));
      at += 1 + size;
    }
    return segments;
  }

  /**
   * A page of one text that comes from no source.
   *
   * @param name as the path of a file, without control characters
   * @throws IllegalArgumentException if the text is empty, or the name cannot stand in a header
   */
  public static VirtualContextPage page(
      String name, String text, PageLabel label, TokenCounter counter) {
    FileLines lines = FileLines.of(text);
    if (lines.count() == 0 || name.isEmpty() || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          lines.count() == 0 ? "is empty" : "a page's name must have no control characters");
    }
    PageSegment segment = new PageSegment(name, 1, lines.count());
    String whole = of(segment, lines);
    return new VirtualContextPage(
        ContentIds.page(label, whole), whole, counter.count(whole), List.of(segment), label);
  }

  /**
   * A page's text, put together from the texts of its files; empty if that is not the text that the
   * page is named after.
   *
   * @param files gives the text of a file by its path
   */
  public static Optional<String> of(
      PageId page, PageLabel label, List<PageSegment> segments, Function<String, String> files) {
    StringBuilder text = new StringBuilder();
    for (PageSegment segment : segments) {
      FileLines lines = FileLines.of(files.apply(segment.file()));
      if (segment.lastLine() > lines.count()) {
        return Optional.empty();
      }
      text.append(of(segment, lines));
    }
    return Optional.of(text.toString()).filter(whole -> ContentIds.page(label, whole).equals(page));
  }

  /** A line as it stands on a page. */
  public static String numbered(int number, String line) {
    return number % NUMBERED_EVERY == 0 ? number + "\t" + line : line;
  }

  /** A line of a page as it stands in its file; one without its number is left as it is. */
  public static String unnumbered(int number, String line) {
    if (number % NUMBERED_EVERY == 0) {
      String mark = number + "\t";
      return line.startsWith(mark) ? line.substring(mark.length()) : line;
    }
    return line;
  }

  /** A segment as it stands on a page, each line ended by a line feed. */
  static String of(PageSegment segment, FileLines lines) {
    StringBuilder text = new StringBuilder(header(segment)).append('\n');
    for (int from = segment.firstLine(), to; from <= segment.lastLine(); from = to + 1) {
      to = Math.min(segment.lastLine(), from - from % NUMBERED_EVERY + NUMBERED_EVERY - 1);
      text.append(numbered(from, lines.text(from - 1, to)));
    }
    return text.toString();
  }

  static String header(PageSegment segment) {
    return "=== "
        + segment.file()
        + " (lines "
        + segment.firstLine()
        + "-"
        + segment.lastLine()
        + ")";
  }

  private static String line(FileLines lines, int index) {
    String line = lines.text(index, index + 1);
    return line.substring(0, line.length() - 1);
  }
}
