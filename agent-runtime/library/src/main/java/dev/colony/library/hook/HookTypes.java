package dev.colony.library.hook;

import dev.colony.agent.author.TypeProvider;

/** The types of this package. */
public final class HookTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(TokenTrackingCapability.class);
    types.add(RateLimitCapability.class);
    types.add(CheckpointCapability.class);
  }
}
