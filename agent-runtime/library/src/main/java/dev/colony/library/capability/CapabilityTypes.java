package dev.colony.library.capability;

import dev.colony.agent.author.TypeProvider;
import dev.colony.library.game.DebateGame;
import dev.colony.library.game.NegotiationGame;

public final class CapabilityTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ChildrenCapability.class);
    types.add(DelegateCapability.class);
    types.add(MessageCapability.class);
    types.add(HttpToolCapability.class);
    types.add(OutputCapability.class);
    types.add(ReasoningCapability.class);
    types.add(CritiqueCapability.class);
    types.add(DeliberationCapability.class);
    types.add(ModeratorPolicy.class);
    types.add(NegotiationGame.class);
    types.add(DebateGame.class);
  }
}
