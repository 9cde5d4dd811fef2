package dev.colony.library.reasoning;

import dev.colony.agent.author.TypeProvider;

/** The capabilities of this package. */
public final class ReasoningTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ReasoningCapability.class);
    types.add(CritiqueCapability.class);
  }
}
