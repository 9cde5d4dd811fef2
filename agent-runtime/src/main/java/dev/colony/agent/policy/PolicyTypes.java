package dev.colony.agent.policy;

import dev.colony.agent.blueprint.TypeProvider;

/** The policies that ship with the runtime. */
public final class PolicyTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(EventDrivenActionPolicy.class);
    types.add(MinimalActionPolicy.class);
    types.add(ScriptedActionPolicy.class);
  }
}
