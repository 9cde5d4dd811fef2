package dev.colony.library.context;

import dev.colony.agent.author.TypeProvider;

/** The layers that tests bring. */
public final class ShoutingTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ShoutingLayer.class);
    types.add(TellingLayer.class);
  }
}
