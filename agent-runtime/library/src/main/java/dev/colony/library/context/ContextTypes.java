package dev.colony.library.context;

import dev.colony.agent.author.TypeProvider;

/** The stock layers and the capability to be on a stage. */
public final class ContextTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(IdentityLayer.class);
    types.add(GoalLayer.class);
    types.add(SceneLayer.class);
    types.add(RecentTableLayer.class);
    types.add(TranscriptLayer.class);
    types.add(MemoryLayer.class);
    types.add(VisitorLayer.class);
    types.add(ExtraLayer.class);
    types.add(OutputFormatLayer.class);
    types.add(StageCapability.class);
    types.add(ContextCapability.class);
  }
}
