package dev.colony.library.policy;

import dev.colony.agent.author.TypeProvider;

/** The policies that ship with the runtime. */
public final class PolicyTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(EventDrivenActionPolicy.class);
    types.add(MinimalActionPolicy.class);
    types.add(ScriptedActionPolicy.class);
  }
}
