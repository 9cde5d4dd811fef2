package dev.colony.library.page;

import dev.colony.library.page.Dependents.Usages;
import dev.colony.library.page.Spans.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was found, as far as it is shown.
 *
 * @param spans best first; empty means that nothing fits
 * @param found how many there are, those included that are left out
 * @param leftOut how many of them are not among the spans
 * @param others files of which something is left out, with how much of each; the first {@value
 *     #MOST_OTHERS}
 * @param note what else there is to say; empty for nothing
 */
public record Spans(
    List<Span> spans, int found, int leftOut, Map<String, Integer> others, String note) {

  static final int MOST_OTHERS = 50;

  public Spans {
    spans = List.copyOf(spans);
  }

  /**
   * The first of them that fit.
   *
   * @param limit how many
   * @param chars of text of all together; the first one is shown whatever it has
   */
  static Spans within(List<Span> all, int limit, int chars, String note) {
    List<Span> shown = new ArrayList<>();
    Map<String, Integer> others = new LinkedHashMap<>();
    long size = 0;
    int leftOut = 0;
    for (Span span : all) {
      size += span.text().length();
      if (leftOut == 0 && shown.size() < limit && (size <= chars || shown.isEmpty())) {
        shown.add(span);
      } else {
        leftOut++;
        if (others.size() < MOST_OTHERS || others.containsKey(span.file())) {
          others.merge(span.file(), 1, Integer::sum);
        }
      }
    }
    return new Spans(shown, all.size(), leftOut, others, note);
  }

  /**
   * Lines of a file.
   *
   * @param file its path in the map
   * @param firstLine counted from 1, inclusive
   * @param lastLine inclusive
   * @param text the lines as they stand there, with line feeds between them; a line that is too
   *     long is cut and ends with {@code ...}
   * @param kind what they are: {@code match}, {@code lines}, one of {@code Language.Kind} or one of
   *     {@link Usages.Kind}, in lower case
   * @param page the page that the first of them is on
   */
  public record Span(
      String file, int firstLine, int lastLine, String text, String kind, String page) {

    /** As in {@code src/Main.java:12-14}; of one line without its end. */
    public String place() {
      return firstLine == lastLine
          ? file + ":" + firstLine
          : "%s:%d-%d".formatted(file, firstLine, lastLine);
    }
  }

  /** Lines of a file as a result. */
  static final class Reading {

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
}
