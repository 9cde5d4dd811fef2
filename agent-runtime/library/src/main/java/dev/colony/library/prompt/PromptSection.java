package dev.colony.library.prompt;

import java.util.Objects;

/**
 * A named part of a prompt.
 *
 * @param name stable, for example {@code goals} or {@code stream:conversation}
 * @param text as it stands in the prompt; empty for a section with nothing to say
 * @param sizeTokens of the text, at most {@code budgetTokens}
 * @param budgetTokens how many it may take
 * @param cut whether something was left out to keep the budget
 */
public record PromptSection(
    String name, String text, int sizeTokens, int budgetTokens, boolean cut) {

  public PromptSection {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(text, "text");
    if (sizeTokens > budgetTokens) {
      throw new IllegalArgumentException(
          "section " + name + " takes " + sizeTokens + " tokens, more than " + budgetTokens);
    }
  }
}
