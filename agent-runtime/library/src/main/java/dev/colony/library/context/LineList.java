package dev.colony.library.context;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * A section with a list of the stage's lines. Where not all fit, the oldest go.
 *
 * @param label stands above them; {@code note} gives a line between, from how many are shown; empty
 *     for none
 * @param lines the newest last
 * @param of how many there were before any window
 * @param foot stands below them; empty for nothing
 */
record LineList(String label, IntFunction<String> note, List<Line> lines, long of, String foot) {

  /**
   * @param text as it is shown
   * @param said by which other layers know it
   */
  record Line(String text, String said) {

    /** An event as an agent reads it. */
    static Line note(StageEvent event, String reader) {
      return new Line("- " + event.note(reader), event.said());
    }
  }

  static <T> List<T> newest(List<T> all, int most) {
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  ContextSection within(SectionBudget budget) {
    int shown = budget.newest(lines.stream().map(Line::text).toList(), this::text);
    return new ContextSection(
        text(shown),
        newest(lines, shown).stream().map(Line::said).collect(Collectors.toSet()),
        shown,
        of);
  }

  private String text(int shown) {
    StringBuilder text = new StringBuilder(label);
    String between = note.apply(shown);
    if (!between.isEmpty()) {
      text.append('\n').append(between);
    }
    newest(lines, shown).forEach(line -> text.append('\n').append(line.text()));
    if (!foot.isEmpty()) {
      text.append('\n').append(foot);
    }
    return text.toString();
  }
}
