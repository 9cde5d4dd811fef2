package dev.colony.agent.memory;

import dev.colony.agent.blueprint.TypeProvider;

/** The memory capability. */
public final class MemoryTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(MemoryCapability.class);
  }
}
