package dev.colony.library.context;

import java.util.List;

/**
 * A prompt and what it is made of.
 *
 * @param sections in the order of the prompt
 */
public record PromptContext(String role, String text, List<Section> sections) {

  /**
   * A section's size.
   *
   * @param lines how many lines of a list it shows, out of {@code of}; both 0 if it is no list
   */
  public record Section(String name, int tokens, int chars, int lines, long of) {}

  public PromptContext {
    sections = List.copyOf(sections);
  }

  /** Of all sections; what keeps them apart takes a few more. */
  public int tokens() {
    return sections.stream().mapToInt(Section::tokens).sum();
  }
}
