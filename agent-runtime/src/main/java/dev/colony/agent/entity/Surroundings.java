package dev.colony.agent.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.agent.child.Families;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.dispatch.ActionThreads;
import dev.colony.agent.dispatch.DispatchSettings;
import dev.colony.agent.hook.HookSettings;
import dev.colony.agent.lifecycle.EventReading;
import dev.colony.agent.lifecycle.Lifecycle;
import dev.colony.agent.policy.PolicySettings;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.session.RunRecorder;
import dev.colony.agent.stream.StreamSettings;
import dev.colony.blackboard.Blackboards;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.slf4j.event.Level;

/**
 * What all agents of a node share.
 *
 * @param node names this process among all that ever were, in claims
 * @param threads runs agents' code, each task on a thread of its own
 * @param places for agents at work
 * @param restarting what becomes of an agent's actor that fails
 */
record Surroundings(
    String node,
    AgentSettings settings,
    HookSettings hooks,
    PolicySettings policies,
    StreamSettings streams,
    Services services,
    Executor threads,
    ActionThreads actionThreads,
    Assembly assembly,
    Lifecycle lifecycle,
    SharedStates states,
    BackoffSupervisorStrategy restarting,
    AgentDirectory directory,
    Families families,
    StepListener listener,
    ModelCaller models,
    NodePlaces places,
    ResultPublisher results,
    ScopeEvents events,
    Resumptions resumptions,
    Births births) {

  private static final double JITTER = 0.2;

  /** What a node has of its own. */
  record Means(
      AgentTypes types,
      Services services,
      Families families,
      RunRecorder recorder,
      Resumptions resumptions,
      Births.Pasts pasts,
      StepListener listener,
      Executor threads) {}

  static Surroundings of(String node, AgentSettings settings, Config config, Means means) {
    Blackboards blackboards = means.services().get(Blackboards.class);
    Backoff backoff = settings.blackboardBackoff();
    CapacitySettings capacity = CapacitySettings.fromConfig(config);
    AgentDirectory directory = new AgentDirectory(blackboards);
    Lifecycle lifecycle = new Lifecycle(settings.limits());
    return new Surroundings(
        node,
        settings,
        HookSettings.fromConfig(config),
        PolicySettings.fromConfig(config),
        StreamSettings.fromConfig(config),
        means.services(),
        means.threads(),
        new ActionThreads(DispatchSettings.fromConfig(config)),
        new Assembly(means.types()),
        lifecycle,
        new SharedStates(lifecycle),
        restarting(settings.journalBackoff()),
        directory,
        means.families(),
        means.listener(),
        new ModelCaller(
            means.services(),
            settings.modelCallDeadline(),
            capacity.modelCalls(),
            backoff,
            settings.maxPromptBytes(),
            settings.limits().maxOutputBytes()),
        new NodePlaces(capacity, InstantSource.system()),
        new ResultPublisher(blackboards, means.recorder()),
        new ScopeEvents(blackboards, directory, new EventReading(settings.events())),
        means.resumptions(),
        new Births(directory, means.pasts()));
  }

  /** The stack traces are for debugging; the agent says in a line what happened. */
  private static BackoffSupervisorStrategy restarting(Backoff backoff) {
    return SupervisorStrategy.restartWithBackoff(backoff.shortest(), backoff.longest(), JITTER)
        .withLogLevel(Level.DEBUG);
  }

  RunEvents runEvents(AgentId agent) {
    return new RunEvents(agent, services.get(Blackboards.class), settings.blackboardBackoff());
  }
}
