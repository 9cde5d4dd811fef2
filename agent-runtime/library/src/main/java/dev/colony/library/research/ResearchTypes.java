package dev.colony.library.research;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.TypeProvider;
import dev.colony.vcm.PageGroupId;

/** The types of this package, and the blueprints made of them. */
public final class ResearchTypes implements TypeProvider {

  /** The event of a coordinator's run that says how many analysts have answered. */
  public static final String ANSWERED = "answered";

  private static final CoordinatorCapability.Limits LIMITS =
      new CoordinatorCapability.Limits(12, 12);

  @Override
  public void register(Types types) {
    types.add(CoordinatorPolicy.class);
    types.add(AnalystPolicy.class);
    types.add(CoordinatorCapability.class);
    types.add(AnalystCapability.class);
  }

  /** An agent that answers {@link Question}s with an {@link Answer}. */
  public static AgentBlueprint coordinator() {
    return AgentBlueprint.of(
        Blueprint.bind(CoordinatorPolicy.class),
        Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /**
   * The same where another policy decides which of the coordinator's actions it takes: the run's
   * input has the fields {@code question}, {@code text} with the same, and {@code map}.
   */
  public static AgentBlueprint coordinator(Blueprint policy) {
    return AgentBlueprint.of(policy, Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /** An agent that reads the pages of one group. */
  static AgentBlueprint analyst(PageGroupId group) {
    return AgentBlueprint.of(
            Blueprint.bind(AnalystPolicy.class), Blueprint.bind(AnalystCapability.class))
        .pages(group);
  }
}
