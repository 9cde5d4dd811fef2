package dev.colony.library.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lines of a file as a result. */
final class Reading {

  private static final String KIND = "lines";

  private Reading() {}

  /**
   * The lines from one number to another, as many as fit, a span for each run of them that has no
   * gap; all that were asked for and are not shown are left out.
   */
  static Spans of(
      MappedText file, int first, int last, int mostLines, int mostChars, int lineChars) {
    int from = file.atOrAfter(first);
    int end = file.atOrAfter(last == Integer.MAX_VALUE ? last : last + 1);
    List<Span> spans = new ArrayList<>();
    int at = from;
    int chars = 0;
    int shown = 0;
    while (at < end && shown < mostLines) {
      int to = at;
      chars += size(file, at, lineChars);
      shown++;
      while (to + 1 < end
          && file.joined(to)
          && shown < mostLines
          && chars + size(file, to + 1, lineChars) <= mostChars) {
        to++;
        chars += size(file, to, lineChars);
        shown++;
      }
      spans.add(file.span(at, to, KIND, lineChars));
      at = to + 1;
      if (chars >= mostChars || at < end && file.joined(to)) {
        break;
      }
    }
    return new Spans(
        spans,
        end - from,
        end - from - shown,
        Map.of(),
        "%s has %d lines".formatted(file.path(), file.count()));
  }

  private static int size(MappedText file, int at, int lineChars) {
    return Math.min(file.line(at).length(), lineChars) + 1;
  }
}
