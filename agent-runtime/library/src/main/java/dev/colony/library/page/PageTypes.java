package dev.colony.library.page;

import dev.colony.agent.author.TypeProvider;

/** The capabilities for pages that ship with the runtime. */
public final class PageTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(PageCapability.class);
    types.add(WorkingSetCapability.class);
    types.add(PageGraphCapability.class);
    types.add(PageBranchCapability.class);
  }
}
