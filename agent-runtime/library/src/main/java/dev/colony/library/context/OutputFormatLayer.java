package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.Optional;
import java.util.Set;

/** What form the answer must have: never cut, since half of a format is none. */
@Registered(value = "context.output-format", summary = "What form the answer must have.")
final class OutputFormatLayer implements ContextLayer {

  @Override
  public String name() {
    return "OUTPUT FORMAT";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    return Optional.of(request.outputFormat().strip())
        .filter(text -> !text.isEmpty())
        .map(text -> ContextSection.of(name() + "\n" + text));
  }

  @Override
  public boolean pinned() {
    return true;
  }
}
