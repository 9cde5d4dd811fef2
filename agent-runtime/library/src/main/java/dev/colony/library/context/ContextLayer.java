package dev.colony.library.context;

import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.StageEvent.PromptText;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * One layer of a prompt. Pure; registered and bound as a blueprint. What it is given holds no
 * private thought of another agent.
 */
public interface ContextLayer {

  /** Names the section for observers of prompts. */
  String name();

  /**
   * The section within its budget; empty for none.
   *
   * @param shown the texts of the stage's lines that other sections show; always empty unless
   *     {@link #readsOthers}
   */
  Optional<ContextSection> render(ContextRequest request, Set<String> shown, SectionBudget budget);

  /** Whether it is rendered after all layers that do not ask for this, wherever it stands. */
  default boolean readsOthers() {
    return false;
  }

  /** Whether it is never cut: a prompt that has no room for it is refused. */
  default boolean pinned() {
    return false;
  }

  /**
   * The arguments of a layer that shows the newest lines.
   *
   * @param lines how many at most, 1 to 10,000; no more than 200 are there to be shown
   */
  public record Window(int lines) {

    public Window {
      if (lines < 1 || lines > 10_000) {
        throw new IllegalArgumentException("lines is " + lines + ", but must be 1 to 10000");
      }
    }
  }

  /**
   * What a layer puts into a prompt.
   *
   * @param shown the texts, on one line each, of the stage's lines that it shows
   * @param lines how many lines of a list it shows
   * @param of how many there were; more than {@code lines} where a window or a budget cut it
   */
  public record ContextSection(String text, Set<String> shown, int lines, long of) {

    public ContextSection {
      Objects.requireNonNull(text, "text");
      shown = Set.copyOf(shown);
    }

    /** A section that is no list. */
    public static ContextSection of(String text) {
      return new ContextSection(text, Set.of(), 0, 0);
    }
  }

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
}
