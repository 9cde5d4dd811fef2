package dev.colony.library.prompt;

import dev.colony.library.prompt.PromptSection.Part;
import dev.colony.library.prompt.TextBudget.Fitted;
import java.util.List;

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
