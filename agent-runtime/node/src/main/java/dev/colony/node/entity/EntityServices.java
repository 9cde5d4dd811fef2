package dev.colony.node.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.DirectoryEntry.Origin;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.session.ResultPublisher;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.EventReading;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.ForkSeed;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.journal.LostLogs.EventLosses;
import dev.colony.node.AgentListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.admission.NodeSlots;
import dev.colony.node.entity.AgentShards.RestartBackoff;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.persistence.typed.SnapshotAdapter;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
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
    NodeBounds bounds,
    ActivationFactory.NodeServices shared,
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
      String node,
      AgentSettings settings,
      Config config,
      ActivationFactory.NodeServices shared,
      EventLosses losses) {
    Blackboards blackboards = shared.ports().get(Blackboards.class);
    AgentDirectory directory = new AgentDirectory(blackboards);
    Lifecycle lifecycle = new Lifecycle(shared.limits());
    NodeBounds bounds = NodeBounds.of(shared.ports());
    return new EntityServices(
        node,
        settings,
        bounds,
        shared,
        new ActivationFactory(shared),
        lifecycle,
        new SharedStates(lifecycle),
        // The stack traces are for debugging; the agent says in a line what happened.
        RestartBackoff.after(bounds.journal()).withLogLevel(Level.DEBUG),
        directory,
        shared.ports().find(AgentListener.class).orElse(AgentListener.NONE),
        new NodeSlots(
            shared
                .ports()
                .find(CapacitySettings.class)
                .orElseGet(() -> CapacitySettings.fromConfig(config)),
            blackboards.clock()),
        new ResultPublisher(
            blackboards, shared.recorder(), settings.retention().runs(), blackboards.clock()),
        new ScopeEvents(blackboards, directory, new EventReading()),
        new InitialState(directory, shared.history()),
        losses,
        blackboards.clock());
  }

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

  /** Finds out what an agent is whose journal is empty. Thread-safe. */
  record InitialState(AgentDirectory directory, HistoryReader reader) {

    /**
     * What the directory says of it, with what it inherits if it is a fork; without a blueprint if
     * the directory does not know it. Fails with {@link AgentException} if it has ended or its
     * origin's past is not there any more, and as blackboard and journal do.
     */
    CompletionStage<AgentMessage.TakeOver> of(AgentId agent) {
      return directory
          .look(agent)
          .thenCompose(found ->
              found
                  .map(InitialState::alive)
                  .map(this::of)
                  .orElseGet(() -> CompletableFuture.completedStage(AgentMessage.TakeOver.UNSAID)));
    }

    /** One that has ended has had a journal: it is being purged, and does not begin anew. */
    private static DirectoryEntry alive(ListedAgent found) {
      if (found.status().state().terminal()) {
        throw AgentException.refused(
            "agent %s is %s, and what it left is being deleted"
                .formatted(found.id(), found.status().state()));
      }
      return found.entry();
    }

    private CompletionStage<AgentMessage.TakeOver> of(DirectoryEntry entry) {
      CompletionStage<Optional<ForkSeed>> forkSeed =
          entry
              .origin()
              .map(origin -> inherited(origin).thenApply(Optional::of))
              .orElseGet(() -> CompletableFuture.completedStage(Optional.empty()));
      return forkSeed.thenApply(
          inherited -> new AgentMessage.TakeOver(Optional.of(entry.original()), inherited));
    }

    private CompletionStage<ForkSeed> inherited(Origin origin) {
      return reader
          .replay(origin.agent(), origin.sequenceNr())
          .thenApply(replayed ->
              switch (replayed) {
                case Replayed.State state ->
                    ForkSeed.of(origin.agent(), origin.sequenceNr(), state.snapshot());
                case Replayed.Missing missing ->
                    throw AgentException.refused(
                        "it cannot be forked any more: " + missing.why().words());
              });
    }
  }

  /**
   * The states of a node's agents, as they follow from the journal. Agents by the thousand are
   * spawned from one blueprint, and each has read it from its own journal; here they come to share
   * it, which is most of what an idle one takes. Thread-safe.
   */
  static final class SharedStates
      implements EventHandler<AgentSnapshot, AgentEvent>, SnapshotAdapter<AgentSnapshot> {

    private final Lifecycle lifecycle;
    private final Interned<AgentBlueprint> blueprints = new Interned<>();
    private final Interned<Set<KeyGlob>> globs = new Interned<>();

    SharedStates(Lifecycle lifecycle) {
      this.lifecycle = lifecycle;
    }

    /** Patterns of writes, for the code that keeps them. */
    Set<KeyGlob> shared(Set<KeyGlob> patterns) {
      return globs.of(patterns);
    }

    @Override
    public AgentSnapshot apply(AgentSnapshot state, AgentEvent event) {
      AgentSnapshot next = lifecycle.apply(state, event);
      if (event instanceof AgentEvent.Spawned spawned) {
        return next.spawned(blueprints.of(spawned.blueprint()));
      }
      if (event instanceof AgentEvent.BlueprintRevised revised) {
        return next.spawned(blueprints.of(revised.blueprint()));
      }
      return event instanceof AgentEvent.ScopesWatched watched
          ? next.watches(shared(watched.watches()))
          : next;
    }

    @Override
    public Object toJournal(AgentSnapshot state) {
      return state;
    }

    @Override
    public AgentSnapshot fromJournal(Object stored) {
      AgentSnapshot state = (AgentSnapshot) stored;
      return state
          .blueprint()
          .map(blueprint -> state.spawned(blueprints.of(blueprint)))
          .orElse(state)
          .watches(shared(state.watches()));
    }

    private List<Watch> shared(List<Watch> watches) {
      return watches.stream().map(watch -> watch.globs(shared(watch.globs()))).toList();
    }

    /**
     * Values of which equal ones are one object for as long as a reference holds it; it holds none
     * itself, so that it is as large as what is in use. For immutable values that many agents have
     * in common. Thread-safe.
     */
    private static final class Interned<T> {

      private final Map<T, WeakReference<T>> known = new WeakHashMap<>();

      /** The one that is equal to this, which is this one if there was none. */
      synchronized T of(T value) {
        WeakReference<T> held = known.get(value);
        T same = held == null ? null : held.get();
        if (same == null) {
          known.put(value, new WeakReference<>(value));
          return value;
        }
        return same;
      }
    }
  }
}
