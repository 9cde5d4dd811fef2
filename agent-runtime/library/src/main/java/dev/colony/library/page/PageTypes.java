package dev.colony.library.page;

import dev.colony.agent.author.TypeProvider;

public final class PageTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(PageCapability.class);
    types.add(PageGraphCapability.class);
    types.add(PageBranchCapability.class);
    types.add(SourceCapability.class);
  }
}
