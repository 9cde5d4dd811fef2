package dev.colony.library.memory;

import dev.colony.agent.author.TypeProvider;

/** The memory capability. */
public final class MemoryTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(MemoryCapability.class);
  }
}
