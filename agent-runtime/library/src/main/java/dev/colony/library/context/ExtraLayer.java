package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.Optional;
import java.util.Set;

/** What the scenario adds, as it is. */
@Registered(value = "context.extra", summary = "What the scenario adds.")
final class ExtraLayer implements ContextLayer {

  @Override
  public String name() {
    return "EXTRA";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    return Optional.of(request.extra().strip())
        .filter(text -> !text.isEmpty())
        .map(text -> ContextSection.of(budget.head(text)));
  }
}
