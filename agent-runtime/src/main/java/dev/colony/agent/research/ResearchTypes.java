package dev.colony.agent.research;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.TypeProvider;
import dev.colony.vcm.PageGroupId;

/** The types of this package, and the blueprints made of them. */
public final class ResearchTypes implements TypeProvider {

  /** The event of a coordinator's run that says how many analysts have answered. */
  public static final String ANSWERED = "answered";

  private static final CoordinatorCapability.Limits LIMITS =
      new CoordinatorCapability.Limits(12, 12);

  @Override
  public void register(Types types) {
    types.policy(CoordinatorPolicy.TYPE, args -> new CoordinatorPolicy());
    types.policy(AnalystPolicy.TYPE, args -> new AnalystPolicy());
    types.capability(
        CoordinatorCapability.TYPE,
        (args, context) ->
            new CoordinatorCapability(
                Json.read(args, CoordinatorCapability.Limits.class), context));
    types.capability(AnalystCapability.TYPE, (args, context) -> new AnalystCapability(context));
  }

  /** An agent that answers {@link Question}s with an {@link Answer}. */
  public static AgentBlueprint coordinator() {
    return AgentBlueprint.of(
        Blueprint.of(CoordinatorPolicy.TYPE),
        new Blueprint(CoordinatorCapability.TYPE, Json.of(LIMITS)));
  }

  /** An agent that reads the pages of one group. */
  static AgentBlueprint analyst(PageGroupId group) {
    return AgentBlueprint.of(Blueprint.of(AnalystPolicy.TYPE), Blueprint.of(AnalystCapability.TYPE))
        .pages(group);
  }
}
