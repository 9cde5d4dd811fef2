package dev.colony.library.prompt;

import dev.colony.agent.action.ActionDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A planning prompt, section by section. Hooks after {@code PlanningFormat.format} see it, those
 * around may replace it.
 *
 * @param preamble the system message, the same for every agent and every iteration
 * @param sections in the order in which they stand in the prompt; some may be empty
 * @param offered the actions that are shown, and therefore may be chosen
 */
public record PlanningPrompt(
    String preamble, List<PromptSection> sections, List<ActionDescription> offered) {

  public PlanningPrompt {
    sections = List.copyOf(sections);
    offered = List.copyOf(offered);
  }

  /** The sections that have something to say, a blank line between two. */
  public String text() {
    return sections.stream()
        .map(PromptSection::text)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("\n\n"));
  }

  /** The same with one more section at the end. */
  public PlanningPrompt and(PromptSection section) {
    List<PromptSection> more = new ArrayList<>(sections);
    more.add(section);
    return new PlanningPrompt(preamble, more, offered);
  }
}
