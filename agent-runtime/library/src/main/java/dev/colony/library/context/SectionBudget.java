package dev.colony.library.context;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * How many tokens a section may take.
 *
 * @param tokens empty for as many as it needs
 * @param counter counts the tokens of a text
 */
public record SectionBudget(OptionalInt tokens, ToIntFunction<String> counter) {

  public boolean fits(String text) {
    return tokens.isEmpty() || counter.applyAsInt(text) <= tokens.getAsInt();
  }

  /**
   * How many of the newest lines fit.
   *
   * @param text the section with that many of the newest lines
   */
  int newest(List<String> lines, IntFunction<String> text) {
    if (tokens.isEmpty()) {
      return lines.size();
    }
    int room = tokens.getAsInt();
    int fitting = 0;
    while (fitting < lines.size()) {
      room -= counter.applyAsInt(lines.get(lines.size() - 1 - fitting));
      if (room < 0) {
        break;
      }
      fitting++;
    }
    // The tokens of a text are about those of its lines; the section itself decides.
    while (fitting > 0 && !fits(text.apply(fitting))) {
      fitting--;
    }
    return fitting;
  }

  /** The longest beginning that fits, or nearly so; never more than fits. */
  String head(String text) {
    if (fits(text)) {
      return text;
    }
    int low = 0;
    int high = text.length();
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (fits(PromptText.cut(text, middle))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    // More text can, rarely, be fewer tokens: what the search ended with is asked once more.
    while (low > 0 && !fits(PromptText.cut(text, low))) {
      low--;
    }
    return low == 0 ? "" : PromptText.cut(text, low);
  }
}
