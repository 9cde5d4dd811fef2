package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.Optional;
import java.util.Set;

/** Who the agent is: always there, never cut. */
@Registered(value = "context.identity", summary = "Who the agent is.")
final class IdentityLayer implements ContextLayer {

  @Override
  public String name() {
    return "IDENTITY";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    return Optional.of(ContextSection.of(name() + "\n" + request.persona().strip()));
  }

  @Override
  public boolean pinned() {
    return true;
  }
}
