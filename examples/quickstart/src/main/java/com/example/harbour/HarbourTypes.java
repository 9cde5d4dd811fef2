package com.example.harbour;

import dev.colony.agent.author.TypeProvider;

public final class HarbourTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(GlossaryCapability.class);
  }
}
