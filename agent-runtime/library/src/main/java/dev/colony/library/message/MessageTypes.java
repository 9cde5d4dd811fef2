package dev.colony.library.message;

import dev.colony.agent.author.TypeProvider;

/** The capability of this package. */
public final class MessageTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(MessageCapability.class);
  }
}
