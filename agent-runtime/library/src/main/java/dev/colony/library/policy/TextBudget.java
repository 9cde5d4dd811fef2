package dev.colony.library.policy;

import dev.colony.blackboard.value.Text;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many tokens a text may take, and the ways of keeping to it. Pure and deterministic. A text is
 * counted only as far as it could fit, so that a huge one costs no more than its budget.
 */
record TextBudget(int tokens) {

  private static final TokenCounter COUNTER = new TokenCounter();
  private static final String CUT = "\n[cut here to fit]";
  private static final int NOTE_TOKENS = 12;

  /** No common token is longer; what lies beyond cannot fit. */
  private static final int MOST_CHARS_PER_TOKEN = 16;

  static int count(String text) {
    return COUNTER.count(text);
  }

  /** The text, or as much of its beginning as fits, with a note. */
  Fitted cut(String text) {
    if (fits(text)) {
      return new Fitted(text, false);
    }
    int fitting = 0;
    int over = Math.min(text.length(), longest());
    while (over - fitting > 1) {
      int middle = (fitting + over) >>> 1;
      if (fits(Text.head(text, middle) + CUT)) {
        fitting = middle;
      } else {
        over = middle;
      }
    }
    return new Fitted(fits(CUT) ? Text.head(text, fitting) + CUT : "", true);
  }

  /** As many of the first lines as fit under a heading. */
  Fitted first(String heading, List<String> lines) {
    int fit = fitting(heading, lines);
    if (fit == lines.size()) {
      return join(heading, lines, fit, false);
    }
    List<String> some = new ArrayList<>(lines.subList(0, fit));
    some.add("[" + (lines.size() - fit) + " more do not fit]");
    return join(heading, some, fit, true);
  }

  /** As many of the last lines as fit under a heading. */
  Fitted last(String heading, List<String> lines) {
    int fit = fitting(heading, lines.reversed());
    if (fit == lines.size()) {
      return join(heading, lines, fit, false);
    }
    List<String> some = new ArrayList<>();
    some.add("[" + (lines.size() - fit) + " earlier ones do not fit]");
    some.addAll(lines.subList(lines.size() - fit, lines.size()));
    return join(heading, some, fit, true);
  }

  /**
   * As many of a text's last lines as fit under its heading, if it has one; at least the beginning
   * of its last line.
   */
  Fitted newest(String text) {
    List<String> all = List.of(text.split("\n", -1));
    boolean headed = text.startsWith("#") && all.size() > 1;
    String heading = headed ? all.getFirst() : "";
    List<String> lines = headed ? all.subList(1, all.size()) : all;
    Fitted last = last(heading, lines);
    if (last.shown() > 0) {
      return last;
    }
    int earlier = lines.size() - 1;
    String note = earlier == 0 ? "" : "[" + earlier + " earlier ones do not fit]";
    return cut(
        Stream.of(heading, note, lines.getLast())
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("\n")));
  }

  /** How many lines fit, from the first; room is left for the note where not all do. */
  private int fitting(String heading, List<String> lines) {
    int used = count(heading);
    int fit = 0;
    int withNote = 0;
    for (String line : lines) {
      used += size(line);
      if (used > tokens) {
        return withNote;
      }
      fit++;
      withNote = used + NOTE_TOKENS <= tokens ? fit : withNote;
    }
    return fit;
  }

  /** Tokens may join differently than their lines were counted: then the text is cut. */
  private Fitted join(String heading, List<String> lines, int shown, boolean some) {
    String text = String.join("\n", lines);
    Fitted joined = cut(heading.isEmpty() ? text : heading + "\n" + text);
    return new Fitted(joined.text(), some || joined.cut(), shown);
  }

  private int size(String line) {
    return line.length() > longest() ? tokens + 1 : count(line) + 1;
  }

  private boolean fits(String text) {
    return text.length() <= longest() && count(text) <= tokens;
  }

  private int longest() {
    return (int) Math.min(Integer.MAX_VALUE, (long) tokens * MOST_CHARS_PER_TOKEN);
  }

  /**
   * What fits.
   *
   * @param shown how many of the given lines are in it
   */
  record Fitted(String text, boolean cut, int shown) {

    Fitted(String text, boolean cut) {
      this(text, cut, 0);
    }
  }
}
