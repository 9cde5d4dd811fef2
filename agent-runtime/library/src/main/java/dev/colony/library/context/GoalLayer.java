package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.Optional;
import java.util.Set;

/** What all on the stage want; nothing where there is no goal. */
@Registered(value = "context.goal", summary = "The goal that all share.")
final class GoalLayer implements ContextLayer {

  @Override
  public String name() {
    return "SHARED GOAL";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    return request
        .stage()
        .goal()
        .map(goal -> ContextSection.of(budget.head(name() + "\n" + PromptText.block(goal))));
  }
}
