package dev.colony.library.http;

import dev.colony.agent.author.TypeProvider;

/** The capability of this package. */
public final class HttpTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(HttpToolCapability.class);
  }
}
