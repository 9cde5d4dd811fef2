package dev.colony.agent.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentListener;
import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.activation.ActivationFactory;
import dev.colony.agent.activation.Equipment;
import dev.colony.agent.activation.ModelCaller;
import dev.colony.agent.admission.NodeSlots;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.agent.child.Families;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.dispatch.ActionThreads;
import dev.colony.agent.dispatch.DispatchSettings;
import dev.colony.agent.hook.HookSettings;
import dev.colony.agent.inspect.HistoryReader;
import dev.colony.agent.journal.EventLosses;
import dev.colony.agent.lifecycle.EventReading;
import dev.colony.agent.lifecycle.Lifecycle;
import dev.colony.agent.policy.PolicySettings;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.retention.RetentionSettings;
import dev.colony.agent.retry.Restarts;
import dev.colony.agent.session.ResultPublisher;
import dev.colony.agent.stream.StreamSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.inbox.InboxBucket;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What all agents of a node share.
 *
 * @param node names this process among all that ever were, in claims
 * @param listener is told about steps
 * @param agents is told how the agents of this node fare
 * @param slots for agents at work
 * @param pasts what the journal says of agents
 * @param losses what is known of events that the store has lost
 * @param clock the cluster time, by which all that is journaled goes
 * @param restarting what becomes of an agent's actor that fails
 */
record Surroundings(
    String node,
    AgentSettings settings,
    Services services,
    ActivationFactory activations,
    Lifecycle lifecycle,
    SharedStates states,
    BackoffSupervisorStrategy restarting,
    AgentDirectory directory,
    Families families,
    StepListener listener,
    AgentListener agents,
    NodeSlots slots,
    ResultPublisher results,
    ScopeEvents events,
    Resumptions resumptions,
    InitialState initialState,
    HistoryReader pasts,
    EventLosses losses,
    InstantSource clock) {

  private static final Logger LOG = LoggerFactory.getLogger(Surroundings.class);

  static Surroundings of(
      String node,
      AgentSettings settings,
      Config config,
      AgentShards.Means means,
      EventLosses losses) {
    Blackboards blackboards = means.services().get(Blackboards.class);
    CapacitySettings capacity = CapacitySettings.fromConfig(config);
    AgentDirectory directory = new AgentDirectory(blackboards);
    Lifecycle lifecycle = new Lifecycle(settings.limits());
    return new Surroundings(
        node,
        settings,
        means.services(),
        new ActivationFactory(equipment(settings, capacity, config, means)),
        lifecycle,
        new SharedStates(lifecycle),
        // The stack traces are for debugging; the agent says in a line what happened.
        Restarts.after(settings.journalBackoff()).withLogLevel(Level.DEBUG),
        directory,
        means.families(),
        means.listener(),
        means.services().find(AgentListener.class).orElse(AgentListener.NONE),
        new NodeSlots(capacity, blackboards.clock()),
        new ResultPublisher(
            blackboards,
            means.recorder(),
            RetentionSettings.fromConfig(config).runs(),
            blackboards.clock()),
        new ScopeEvents(blackboards, directory, new EventReading(settings.events())),
        means.resumptions(),
        new InitialState(directory, means.pasts()),
        means.pasts(),
        losses,
        blackboards.clock());
  }

  /** What time it is for what is journaled. */
  Instant now() {
    return clock.instant();
  }

  /** Has the reader of an agent's inbox look again; one that misses it looks later. */
  void hint(AgentId agent) {
    Inbox inbox = services.get(Blackboards.class).inbox();
    inbox
        .hint(InboxBucket.of(agent.scope(), inbox.buckets()))
        .exceptionally(failure -> {
          LOG.debug("the reader of {} comes when its pause is over", agent, failure);
          return null;
        });
  }

  private static Equipment equipment(
      AgentSettings settings, CapacitySettings capacity, Config config, AgentShards.Means means) {
    ModelCaller models =
        new ModelCaller(
            means.services(),
            settings.modelCallDeadline(),
            capacity.modelCalls(),
            settings.blackboardBackoff(),
            settings.maxPromptBytes(),
            settings.limits().maxOutputBytes());
    return new Equipment(
        means.types(),
        means.services(),
        means.families(),
        means.resumptions(),
        means.threads(),
        new ActionThreads(DispatchSettings.fromConfig(config)),
        models,
        HookSettings.fromConfig(config),
        PolicySettings.fromConfig(config),
        StreamSettings.fromConfig(config),
        settings.limits(),
        settings.maxSnapshotBytes(),
        RetentionSettings.fromConfig(config).progress(),
        settings.blackboardBackoff());
  }
}
