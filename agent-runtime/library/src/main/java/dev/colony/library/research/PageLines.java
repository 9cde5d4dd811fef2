package dev.colony.library.research;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The lines of a page under their files' names and line numbers. */
final class PageLines {

  /** One line of a file. */
  record Line(String file, int line, String text) {}

  private final List<Line> lines;

  private PageLines(List<Line> lines) {
    this.lines = lines;
  }

  static PageLines of(VirtualContextPage page) {
    List<Line> lines = new ArrayList<>();
    for (PageText.SegmentLines segment : PageText.segments(page)) {
      int number = segment.segment().firstLine();
      for (String text : segment.lines()) {
        lines.add(new Line(segment.segment().file(), number++, text));
      }
    }
    return new PageLines(lines);
  }

  /**
   * The line that a quote means: models miscount lines and trim blanks, so the text decides and the
   * number only chooses between equal ones. Empty where no line of the file reads so.
   */
  Optional<Line> find(String file, int line, String quote) {
    String wanted = quote.strip();
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    return lines.stream()
        .filter(candidate -> candidate.file().equals(file))
        .filter(candidate -> candidate.text().strip().equals(wanted))
        .min(Comparator.comparingInt(candidate -> Math.abs(candidate.line() - line)));
  }
}
