package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextLayer.ContextSection;
import dev.colony.library.context.ContextLayer.SectionBudget;
import java.util.Optional;
import java.util.Set;

/** Tells everything that a layer can get at, and keeps to no budget. */
@Registered("test.telling")
public final class TellingLayer implements ContextLayer {

  @Override
  public String name() {
    return "TELLING";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    StringBuilder all = new StringBuilder("ALL");
    request.stage().witnessedBy(request.agent()).forEach(all::append);
    for (String other : new String[] {"ada", "bob", "cy", "mallory"}) {
      request.stage().witnessedBy(other).forEach(all::append);
    }
    return Optional.of(ContextSection.of(all.toString()));
  }
}
