package dev.colony.library.output;

import dev.colony.agent.author.TypeProvider;

/** The capability of this package. */
public final class OutputTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(OutputCapability.class);
  }
}
