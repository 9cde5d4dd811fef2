package dev.colony.cli.ask;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.server.node.NodeOptions.LeftWork;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which runs of the command line that were interrupted wait: one whose cluster was its own goes on
 * when it is resumed and not before, so that it takes no call from a question that is asked
 * meanwhile, and none from a model server that it was not asked of.
 */
public final class LeftRuns {

  /** How the names of the agents begin that read pages for questions. */
  private static final String ANALYST = "analyst-";

  private LeftRuns() {}

  /**
   * In a cluster for one run: of the questions only this one goes on, and where it has not begun,
   * nothing that is left does.
   */
  public static LeftWork of(RunId run) {
    AgentId own = Asking.coordinator(run);
    return (left, blackboards) ->
        left.contains(own)
            ? those(left, agent -> coordinates(agent) && !agent.equals(own))
            : Set.copyOf(left);
  }

  /**
   * In a cluster that is up: all goes on but the runs of clusters of their own. Analysts do not say
   * for whom they work: they wait where no other question is left.
   */
  public static LeftWork ofLone() {
    return (left, blackboards) -> {
      Set<AgentId> questions = those(left, LeftRuns::coordinates);
      Set<AgentId> lone = those(questions, agent -> lone(agent, blackboards));
      return lone.isEmpty() || lone.size() < questions.size()
          ? lone
          : those(left, agent -> lone.contains(agent) || named(agent, ANALYST));
    };
  }

  private static boolean lone(AgentId coordinator, Blackboards blackboards) {
    RunId run = new RunId(coordinator.name().substring(Asking.COORDINATOR.length()));
    return AskRecord.find(blackboards, run)
        .map(AskRecord::startedWith)
        .filter(AskRecord.StartedWith::lone)
        .isPresent();
  }

  private static boolean coordinates(AgentId agent) {
    return named(agent, Asking.COORDINATOR);
  }

  private static boolean named(AgentId agent, String beginning) {
    return agent.tenant().equals(Asking.TENANT)
        && agent.colony().equals(Asking.COLONY)
        && agent.name().startsWith(beginning);
  }

  private static Set<AgentId> those(Set<AgentId> agents, Predicate<AgentId> which) {
    return agents.stream().filter(which).collect(Collectors.toUnmodifiableSet());
  }
}
