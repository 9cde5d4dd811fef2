package dev.colony.agent.entity;

import dev.colony.agent.AgentTypes;
import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.lifecycle.EventReading;
import dev.colony.blackboard.Blackboards;
import java.util.concurrent.Executor;

/**
 * What all agents of a node share.
 *
 * @param node names this process among all that ever were, in claims
 */
record Surroundings(
    String node,
    AgentSettings settings,
    AgentTypes types,
    Services services,
    AgentDirectory directory,
    StepListener listener,
    ModelCaller models,
    ActionRunner actions,
    ResultPublisher results,
    ScopeEvents events) {

  static Surroundings of(
      String node,
      AgentSettings settings,
      AgentTypes types,
      Services services,
      StepListener listener,
      Executor actionThreads) {
    Blackboards blackboards = services.get(Blackboards.class);
    Backoff backoff = settings.blackboardBackoff();
    AgentDirectory directory = new AgentDirectory(blackboards);
    return new Surroundings(
        node,
        settings,
        types,
        services,
        directory,
        listener,
        new ModelCaller(
            services, settings.modelCallDeadline(), backoff, settings.limits().maxOutputBytes()),
        new ActionRunner(actionThreads, blackboards, backoff, settings.limits().maxOutputBytes()),
        new ResultPublisher(blackboards),
        new ScopeEvents(blackboards, directory, new EventReading(settings.events())));
  }
}
