package dev.colony.library.child;

import dev.colony.agent.author.TypeProvider;

/** The types of this package. */
public final class ChildTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ChildrenCapability.class);
    types.add(DelegateCapability.class);
  }
}
