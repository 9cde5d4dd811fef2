package dev.colony.library.source;

import dev.colony.agent.author.TypeProvider;

/** The capability for the files of page maps. */
public final class SourceTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(SourceCapability.class);
  }
}
