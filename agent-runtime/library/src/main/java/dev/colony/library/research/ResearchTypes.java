package dev.colony.library.research;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.source.SourceCapability;
import dev.colony.vcm.PageGroupId;

/** The types of this package, and the blueprints made of them. */
public final class ResearchTypes implements TypeProvider {

  /**
   * The event of a coordinator's run that an analyst has answered: {@code done} {@code of} all, and
   * the places of the lines that it {@code found}, as in {@code src/Main.java:12}.
   */
  public static final String ANSWERED = "answered";

  /**
   * The event of a coordinator's run that all have: the places of the {@code strongest} lines that
   * they have found, strongest first, from which the answer is composed.
   */
  public static final String COMPARED = "compared";

  /** How many pages a question is put to at most. */
  public static final int PAGES = 12;

  /** How many more it is put to at most in each later round. */
  private static final int LATER_PAGES = 6;

  /** How many passages are judged at most. */
  private static final int PASSAGES = CoordinatorPolicy.Args.DEFAULT.passages();

  private static final CoordinatorCapability.Limits LIMITS =
      new CoordinatorCapability.Limits(PAGES, LATER_PAGES, PASSAGES);

  @Override
  public void register(Types types) {
    types.add(CoordinatorPolicy.class);
    types.add(AnalystPolicy.class);
    types.add(CoordinatorCapability.class);
    types.add(AnalystCapability.class);
    types.add(LoadingPolicy.class);
    types.add(LoadingCapability.class);
    types.add(LoaderPolicy.class);
  }

  /** An agent that answers {@link Question}s with an {@link Answer}. */
  public static AgentBlueprint coordinator() {
    return AgentBlueprint.of(
        Blueprint.bind(CoordinatorPolicy.class, CoordinatorPolicy.Args.DEFAULT),
        Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /**
   * The same where another policy decides which of the coordinator's actions it takes: the run's
   * input has the fields {@code question}, {@code text} with the same, and {@code map}.
   */
  public static AgentBlueprint coordinator(Blueprint policy) {
    return AgentBlueprint.of(policy, Blueprint.bind(CoordinatorCapability.class, LIMITS));
  }

  /**
   * An agent that loads the pages of the {@code map} that its run names into the caches of the
   * replicas, as many as have no more than {@code tokens}; its output has {@code pages}, {@code of},
   * {@code failed}, {@code why} and {@code usage}.
   */
  public static AgentBlueprint loading() {
    return AgentBlueprint.of(
        Blueprint.bind(LoadingPolicy.class),
        Blueprint.bind(LoadingCapability.class, LoadingCapability.Limits.DEFAULT));
  }

  /** An agent that loads pages of one group. */
  static AgentBlueprint loader(PageGroupId group) {
    return AgentBlueprint.of(Blueprint.bind(LoaderPolicy.class)).pages(group);
  }

  /** An agent that reads the pages of one group. */
  static AgentBlueprint analyst(PageGroupId group) {
    return AgentBlueprint.of(
            Blueprint.bind(AnalystPolicy.class, AnalystPolicy.Args.DEFAULT),
            Blueprint.bind(AnalystCapability.class, AnalystCapability.Args.DEFAULT),
            Blueprint.bind(SourceCapability.class, SourceCapability.Args.NONE))
        .pages(group);
  }
}
