package dev.colony.node.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.inbox.InboxBucket;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.session.ResultPublisher;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.EventReading;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.journal.EventLosses;
import dev.colony.node.AgentListener;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.activation.NodeServices;
import dev.colony.node.admission.NodeSlots;
import dev.colony.node.retention.RetentionSettings;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What the actors of a node's agents share.
 *
 * @param node names this process among all that ever were, in claims
 * @param shared with everything else on the node that has to do with agents
 * @param agents is told how the agents of this node fare
 * @param slots for agents at work
 * @param losses what is known of events that the store has lost
 * @param clock the cluster time, by which all that is journaled goes
 * @param restarting what becomes of an agent's actor that fails
 */
record EntityServices(
    String node,
    AgentSettings settings,
    NodeServices shared,
    ActivationFactory activations,
    Lifecycle lifecycle,
    SharedStates states,
    BackoffSupervisorStrategy restarting,
    AgentDirectory directory,
    AgentListener agents,
    NodeSlots slots,
    ResultPublisher results,
    ScopeEvents events,
    InitialState initialState,
    EventLosses losses,
    InstantSource clock) {

  private static final Logger LOG = LoggerFactory.getLogger(EntityServices.class);

  static EntityServices of(
      String node, AgentSettings settings, Config config, NodeServices shared, EventLosses losses) {
    Blackboards blackboards = shared.ports().get(Blackboards.class);
    AgentDirectory directory = new AgentDirectory(blackboards);
    Lifecycle lifecycle = new Lifecycle(settings.limits());
    return new EntityServices(
        node,
        settings,
        shared,
        new ActivationFactory(shared),
        lifecycle,
        new SharedStates(lifecycle),
        // The stack traces are for debugging; the agent says in a line what happened.
        RestartBackoff.after(settings.journalBackoff()).withLogLevel(Level.DEBUG),
        directory,
        shared.ports().find(AgentListener.class).orElse(AgentListener.NONE),
        new NodeSlots(CapacitySettings.fromConfig(config), blackboards.clock()),
        new ResultPublisher(
            blackboards,
            shared.recorder(),
            RetentionSettings.fromConfig(config).runs(),
            blackboards.clock()),
        new ScopeEvents(blackboards, directory, new EventReading(settings.events())),
        new InitialState(directory, shared.history()),
        losses,
        blackboards.clock());
  }

  /** What time it is for what is journaled. */
  Instant now() {
    return clock.instant();
  }

  /** Has the reader of an agent's inbox look again; one that misses it looks later. */
  void hint(AgentId agent) {
    Inbox inbox = shared.ports().get(Blackboards.class).inbox();
    inbox
        .hint(InboxBucket.of(agent.scope(), inbox.buckets()))
        .exceptionally(failure -> {
          LOG.debug("the reader of {} comes when its pause is over", agent, failure);
          return null;
        });
  }
}
