package dev.colony.library.source;

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
}
