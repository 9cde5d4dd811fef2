package dev.colony.library.prompt;

import dev.colony.inference.ChatMessage;
import dev.colony.library.prompt.PromptSection.Part;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A planning prompt, section by section. Hooks after {@code PlanningFormat.format} see it, those
 * around may replace it.
 *
 * @param pages that stand behind the system message, before all else
 * @param sections in the order in which they stand in the prompt; some may be empty
 * @param actions that are offered, and therefore may be chosen
 */
public record PlanningPrompt(
    List<PageId> pages, List<PromptSection> sections, ActionTools actions) {

  private static final String BETWEEN = "\n\n";

  public PlanningPrompt {
    pages = List.copyOf(pages);
    sections = sections.stream().sorted(Comparator.comparing(PromptSection::part)).toList();
  }

  /** The system message: who the model speaks for, its rules and its actions. */
  public String system() {
    return text(Part.CONSTANT);
  }

  /** What stands behind the pages: a message for each part that has something to say. */
  public List<ChatMessage> messages() {
    List<ChatMessage> messages = new ArrayList<>();
    for (Part part : List.of(Part.GIVEN, Part.GROWING, Part.CHANGING)) {
      String text = text(part);
      if (!text.isEmpty()) {
        messages.add(new ChatMessage.User(text));
      }
    }
    return messages;
  }

  /** The sections of a part that have something to say, a blank line between two. */
  public String text(Part part) {
    return sections.stream()
        .filter(one -> one.part() == part)
        .map(PromptSection::text)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(BETWEEN));
  }

  /** All of it as a server reads it: tools, system message, names of pages, messages. */
  public String text() {
    Stream<String> pageNames = pages.stream().map(PageId::value);
    return Stream.of(
            Stream.of(text(Part.TOOLS), text(Part.CONSTANT)),
            pageNames,
            Stream.of(text(Part.GIVEN), text(Part.GROWING), text(Part.CHANGING)))
        .flatMap(parts -> parts)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(BETWEEN));
  }

  /** The same with one more section at the end of its part. */
  public PlanningPrompt and(PromptSection section) {
    List<PromptSection> more = new ArrayList<>(sections);
    more.add(section);
    return new PlanningPrompt(pages, more, actions);
  }

  /**
   * How much of this prompt is the beginning of the one before, which a server's prefix cache need
   * not compute again: 0 to 1, in characters.
   */
  public double sharedWith(PlanningPrompt before) {
    return shared(before.text(), text());
  }

  /** The same of two texts; 1 for an empty one. */
  public static double shared(String before, String now) {
    int most = Math.min(before.length(), now.length());
    int same = 0;
    while (same < most && before.charAt(same) == now.charAt(same)) {
      same++;
    }
    return now.isEmpty() ? 1 : (double) same / now.length();
  }
}
