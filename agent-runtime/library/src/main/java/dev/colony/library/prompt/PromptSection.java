package dev.colony.library.prompt;

import java.util.Objects;

/**
 * A named part of a prompt.
 *
 * @param name stable, for example {@code goals} or {@code stream:conversation}
 * @param part of the prompt that it stands in
 * @param text as it stands in the prompt; empty for a section with nothing to say
 * @param sizeTokens of the text, at most {@code budgetTokens}
 * @param budgetTokens how many it may take
 * @param cut whether something was left out to keep the budget
 */
public record PromptSection(
    String name, Part part, String text, int sizeTokens, int budgetTokens, boolean cut) {

  /**
   * Where a section stands. The parts follow each other in this order, what changes least first, so
   * that a server's prefix cache serves as much of a prompt as it can.
   */
  public enum Part {
    /** Sent as tools; the same while the actions are. */
    TOOLS,
    /** The system message; the same while the actions are. */
    CONSTANT,
    /** The same for a whole run: goals, constraints, input. */
    GIVEN,
    /** Grows at its end and is otherwise the same. */
    GROWING,
    /** May be another in each iteration. */
    CHANGING
  }

  public PromptSection {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(part, "part");
    Objects.requireNonNull(text, "text");
    if (sizeTokens > budgetTokens) {
      throw new IllegalArgumentException(
          "section " + name + " takes " + sizeTokens + " tokens, more than " + budgetTokens);
    }
  }

  /**
   * The same with at most so many tokens: the end of what grows, the beginning of anything else.
   */
  PromptSection cut(int tokens) {
    TextBudget budget = new TextBudget(tokens);
    String fitting = (part == Part.GROWING ? budget.newest(text) : budget.cut(text)).text();
    return new PromptSection(name, part, fitting, TextBudget.count(fitting), budgetTokens, true);
  }
}
