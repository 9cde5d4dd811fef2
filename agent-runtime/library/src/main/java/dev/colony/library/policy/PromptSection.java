package dev.colony.library.policy;

import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.TextBudget.Fitted;
import java.util.List;
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

  /**
   * What a layer's section may take. A text that does not fit is cut, with a note of that.
   *
   * @param name of the section
   * @param tokens that it may take
   * @param previewChars how much of a value is shown where it stands among others
   */
  public record SectionRoom(String name, Part part, int tokens, int previewChars) {

    /** The same room under another name: a layer may make several sections. */
    public SectionRoom named(String other) {
      return new SectionRoom(other, part, tokens, previewChars);
    }

    /** A section of a text under a heading, cut at its end; none for a blank text. */
    public List<PromptSection> text(String heading, String text) {
      return text.isBlank() ? List.of() : List.of(section(budget().cut(under(heading, text))));
    }

    /** A section of a text under a heading, of which the end is kept; none for a blank text. */
    public List<PromptSection> newest(String heading, String text) {
      return text.isBlank()
          ? List.of()
          : List.of(section(budget().last(heading, List.of(text.split("\n", -1)))));
    }

    /** A section of lines under a heading, as many of the first as fit; none without lines. */
    public List<PromptSection> bullets(String heading, List<String> lines) {
      return lines.isEmpty()
          ? List.of()
          : List.of(
              section(budget().first(heading, lines.stream().map(line -> "- " + line).toList())));
    }

    /** A section that takes what it takes. */
    public List<PromptSection> whole(String text) {
      int size = TextBudget.count(text);
      return List.of(new PromptSection(name, part, text, size, Math.max(size, tokens), false));
    }

    TextBudget budget() {
      return new TextBudget(tokens);
    }

    PromptSection section(Fitted fitted) {
      return new PromptSection(
          name, part, fitted.text(), TextBudget.count(fitted.text()), tokens, fitted.cut());
    }

    private static String under(String heading, String text) {
      return heading.isEmpty() ? text : heading + "\n" + text;
    }
  }
}
