package dev.colony.library.memory;

import dev.colony.agent.author.TypeProvider;

/** The types of this package. */
public final class MemoryTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(MemoryCapability.class);
    types.add(MemoryManagementCapability.class);
    types.add(MemoryManagementPolicy.class);
  }
}
