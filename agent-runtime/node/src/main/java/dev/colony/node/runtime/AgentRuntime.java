package dev.colony.node.runtime;

import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.history.AgentInspector;
import dev.colony.client.session.BlackboardRunRecorder;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.Rewinding.PastReading;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import dev.colony.inference.InferenceGateway;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.OutstandingIndex;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.AgentListener;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.admission.LeaseService;
import dev.colony.node.admission.NodeAdmission;
import dev.colony.node.admission.NodeLeases;
import dev.colony.node.admission.ScopeWatch;
import dev.colony.node.admission.ShardingLayout;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.entity.AgentShards;
import dev.colony.node.entity.AgentShards.RestartBackoff;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.resumption.BoundPages;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PlacementPolicy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import org.apache.pekko.cluster.sharding.typed.ShardedDaemonProcessSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Agents on this node: started once per actor system, ended with it. */
public final class AgentRuntime {

  private static final Logger LOG = LoggerFactory.getLogger(AgentRuntime.class);

  /** How long a node may take to say which units it runs; placement decides without it then. */
  private static final Duration LAYOUT_TIMEOUT = Duration.ofSeconds(1);

  /** How old the layout may be that an agent's new home is chosen by. */
  private static final Duration LAYOUT_LASTS = Duration.ofSeconds(2);

  private final Colony colony;
  private final AgentShards shards;
  private final IntSupplier delivering;
  private final ActivationFactory activations;

  private AgentRuntime(
      Colony colony, AgentShards shards, IntSupplier delivering, ActivationFactory activations) {
    this.activations = activations;
    this.colony = colony;
    this.shards = shards;
    this.delivering = delivering;
  }

  /**
   * What a node starts its agents with.
   *
   * @param services at least {@link Blackboards}, {@link dev.colony.inference.InferenceGateway} and
   *     {@link dev.colony.vcm.PageStore}; {@link PastEvents} where the journal is not on Redis;
   *     {@link BoundPages} where agents live with their pages; the {@link Colony} and the {@link
   *     ClusterLayout} are added; an {@link dev.colony.node.AgentListener} is told how the agents
   *     fare; {@link NodeBounds} and {@link CapacitySettings} in place of the usual
   * @param types policies and capabilities that agents may be made of
   * @param outstanding the journal's index
   * @param homes where agents that are spawned here are to live
   * @param allocation which node gets a placement unit; empty for the least loaded
   * @param listener is told about each step
   */
  public record Setup(
      NodePorts services,
      AgentTypes types,
      OutstandingAgents outstanding,
      HomeResolver homes,
      Optional<ShardAllocationStrategy> allocation,
      StepListener listener) {}

  /** Starts the agents' sharding, the inbox's readers and the waker; awaits no cluster. */
  public static AgentRuntime start(ActorSystem<?> system, AgentSettings settings, Setup setup) {
    Blackboards blackboards = setup.services().get(Blackboards.class);
    Config config = system.settings().config();
    NodeBounds bounds = NodeBounds.of(setup.services());
    RunLimits limits = RunLimits.fromConfig(config);
    Colony colony =
        new BlackboardColony(
            blackboards,
            setup.homes(),
            Settings.read(ClientSettings.class, config),
            () -> new AgentHistory(past(system, setup), new Lifecycle(limits)));
    // Not a dispatcher of Pekko's: its virtual-thread executor wants --add-opens or warns at
    // length.
    ThreadFactory threads = Thread.ofVirtual().name("agent-step-", 0).factory();
    CarrierWatch.start();
    ChildrenSettings children = Settings.read(ChildrenSettings.class, config);
    CapacitySettings capacity =
        setup
            .services()
            .find(CapacitySettings.class)
            .orElseGet(() -> CapacitySettings.fromConfig(config));
    RunRecorder recorder =
        new BlackboardRunRecorder(
            blackboards, Settings.read(SessionSettings.class, config), blackboards.clock());
    AgentDirectory directory = new AgentDirectory(blackboards);
    ChildRegistry nursery = new ChildRegistry(blackboards, setup.homes(), children);
    SuspendedAgents suspended =
        SuspendedAgents.start(
            system,
            bounds.blackboard(),
            setup.services(),
            CapacityQueue.WaitOrder.aged(directory, capacity.preemption().aging()),
            blackboards.clock());
    Optional<LeaseService> leases = LeaseService.of(system, setup.services());
    ChildService families = new ChildService(blackboards, nursery, colony);
    ScopeWatch scopes = ScopeWatch.start(system, blackboards, families, bounds.blackboard());
    NodePorts known =
        scopes
            .offered(setup.services().with(Colony.class, colony))
            .with(ClusterLayout.class, layout(system));
    NodePorts ports = leases.map(all -> known.with(NodeLeases.class, all.leases())).orElse(known);
    ActivationFactory.NodeServices services =
        AgentShards.services(
            settings,
            config,
            setup.types(),
            ports,
            families,
            recorder,
            suspended.resumptions(),
            new JournalHistoryReader(() -> past(system, setup), new Lifecycle(limits)),
            setup.listener(),
            task -> threads.newThread(task).start());
    AgentShards shards = AgentShards.start(system, settings, services, setup.allocation());
    EntityClient entities = shards.entities();
    var arrivals = new SuspendedAgents.PageArrivals(suspended.resumptions(), bounds.blackboard());
    setup.services().find(BoundPages.class).ifPresent(pages -> pages.onArrival(arrivals::came));
    Rehoming rehoming =
        new Rehoming(
            homes(system, setup.services()),
            directory,
            (unit, agent, to, reason) ->
                entities
                    .apply(unit, agent, new Intent.Rehome(to, reason), Optional.empty())
                    .thenApply(reply -> reply instanceof AcceptReply.Accepted));
    NodeAdmission.start(
        system,
        capacity,
        shards.slots(),
        suspended.room(),
        suspended.resumptions(),
        directory,
        rehoming,
        agent -> leases.filter(all -> all.held().contains(agent)).isPresent(),
        ports);
    leases.ifPresent(all -> all.start(system, suspended.resumptions(), rehoming, ports));
    IntSupplier delivering =
        readInbox(system, bounds, settings.inbox().maxDeliveries(), blackboards, shards, rehoming);
    ClusterSingleton.get(system)
        .init(
            SingletonActor.of(
                RestartBackoff.of(
                    Waker.create(bounds.waker(), setup.outstanding(), directory, entities),
                    bounds.blackboard()),
                "agent-waker"));
    keep(
        system,
        settings.retention(),
        bounds,
        blackboards,
        new EndedAgents(
            blackboards,
            nursery,
            new EndedAgents.Journals(
                agent -> JournalExtension.journal(system).removal().outstanding(agent),
                agent -> JournalExtension.journal(system).removal().remove(agent))),
        ports.find(AgentListener.class).orElse(AgentListener.NONE));
    finishCallsOnLeaving(system, shards, settings.modelCallGrace());
    return new AgentRuntime(colony, shards, delivering, new ActivationFactory(services));
  }

  /** Has this node be there to run some of the inbox's readers; how much it has under way. */
  private static IntSupplier readInbox(
      ActorSystem<?> system,
      NodeBounds bounds,
      int maxDeliveries,
      Blackboards blackboards,
      AgentShards shards,
      Rehoming rehoming) {
    AgentDirectory directory = new AgentDirectory(blackboards);
    EntityClient entities = shards.entities();
    SignalDelivery.ResumeService resumption =
        new SignalDelivery.ResumeService(directory, shards.resumptions(), rehoming, entities);
    InboxDelivery delivery =
        new InboxDelivery(
            blackboards,
            directory,
            shards.results(),
            shards.recorder(),
            new SignalDelivery.WakeDelivery(directory, shards.events(), resumption, entities),
            new SignalDelivery(blackboards, directory, resumption, entities, rehoming),
            entities,
            maxDeliveries);
    int workers = Math.min(bounds.inbox().workers(), blackboards.inbox().buckets());
    ShardedDaemonProcess.get(system)
        .init(
            InboxReader.Message.class,
            "agent-inbox",
            workers,
            worker ->
                RestartBackoff.of(
                    InboxReader.create(worker, workers, bounds.inbox(), blackboards, delivery),
                    bounds.blackboard()),
            ShardedDaemonProcessSettings.create(system),
            Optional.empty());
    return delivery::underWay;
  }

  /** Before the agents are handed over, and beside what else ends its service then. */
  private static void finishCallsOnLeaving(
      ActorSystem<?> system, AgentShards shards, Duration grace) {
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseServiceUnbind(),
            "finish-model-calls",
            () ->
                shards
                    .finishModelCalls(grace)
                    .thenApply(cut -> {
                      if (cut > 0) {
                        LOG.warn(
                            "{} model calls have not ended within {}; they are asked again"
                                + " elsewhere",
                            cut,
                            grace);
                      }
                      return Done.getInstance();
                    }));
  }

  private static void keep(
      ActorSystem<?> system,
      AgentSettings.Retention retention,
      NodeBounds bounds,
      Blackboards blackboards,
      EndedAgents ended,
      AgentListener listener) {
    NodeBounds.Keeping pace = bounds.keeping();
    Keeping keeping =
        new Keeping(
            blackboards,
            ended,
            (after, now) -> AgentShards.sweepPayloads(system, after, now),
            retention,
            pace.batch(),
            Settings.read(SessionSettings.class, system.settings().config()),
            blackboards.clock(),
            listener);
    ClusterSingleton.get(system)
        .init(
            SingletonActor.of(
                RestartBackoff.of(
                    BatchWalk.create(
                        new BatchWalk.Course<Keeping.Place>(
                            Keeping.Place.BEGINNING, pace.sweep(), pace.pause(), keeping::look),
                        pace.sweep(),
                        new BatchWalk.Outage(
                            "what is stored cannot be looked at for what has had its time")),
                    bounds.blackboard()),
                "agent-retention"));
  }

  /**
   * Builds an agent on trial: why this node could not build it, and where in its blueprint that is;
   * empty if it could. May block, and leaves nothing behind.
   */
  public Optional<BlueprintFile.Problem> trial(AgentId id, AgentBlueprint blueprint) {
    return activations.trial(id, blueprint);
  }

  public Colony colony() {
    return colony;
  }

  /** The gateway to models, which carries no call of what is suspended as a whole. */
  public InferenceGateway models() {
    return shards.models();
  }

  public AgentShards.NodeLoad load() {
    return shards.load(delivering.getAsInt());
  }

  /** Where both the pages and the policy are known. */
  private static Optional<Rehoming.Homes> homes(ActorSystem<?> system, NodePorts services) {
    Rehoming.RecentLayout layout =
        new Rehoming.RecentLayout(
            layout(system), LAYOUT_LASTS, services.get(Blackboards.class).clock());
    return services
        .find(PlacementPolicy.class)
        .flatMap(policy ->
            services
                .find(PageTable.class)
                .map(table -> new Rehoming.Homes(policy, table::snapshot, layout)));
  }

  private static ClusterLayout layout(ActorSystem<?> system) {
    return new ShardingLayout(system, EntityClient.KEY, LAYOUT_TIMEOUT);
  }

  /** Those of the journal on Redis, where no service of the node keeps the events. */
  private static PastEvents past(ActorSystem<?> system, Setup setup) {
    return setup.services().find(PastEvents.class).orElseGet(() -> JournalExtension.reader(system));
  }

  /** Connects to the journal only when it is asked: another plugin may keep the events. */
  private record JournalHistoryReader(Supplier<PastEvents> past, Lifecycle lifecycle)
      implements HistoryReader {

    private AgentInspector inspector() {
      return new AgentInspector(past.get(), lifecycle);
    }

    @Override
    public CompletionStage<Replayed> replay(AgentId agent, long sequenceNr) {
      return inspector().replay(agent, sequenceNr);
    }

    @Override
    public CompletionStage<List<Ended>> ended(AgentId agent, long behind) {
      return inspector().ended(agent, behind);
    }

    @Override
    public CompletionStage<PastReading> rewinding(AgentId agent, RunId run, int step) {
      return inspector().rewinding(agent, run, step);
    }
  }

  /** The index of agents that have accepted a run and not published its result. */
  @FunctionalInterface
  public interface OutstandingAgents {

    /** Their persistence ids; may hold one that has just finished, never misses one. */
    CompletionStage<Set<String>> outstanding();

    /** The index that the Redis journal keeps with the events, all of its slots read at once. */
    static OutstandingAgents journaled(ActorSystem<?> system) {
      OutstandingIndex index = JournalExtension.journal(system).outstanding();
      CompletionStage<Set<String>> none = CompletableFuture.completedStage(Set.of());
      return () ->
          IntStream.range(0, index.slots())
              .mapToObj(index::slot)
              .reduce(none, (all, slot) -> all.thenCombine(slot, OutstandingAgents::union));
    }

    /**
     * The same without work that is left from before: of an agent that waits it is not told until
     * that work is done. Reads the index once at once; what cannot be read is not left out.
     *
     * @param waiting which of those that still have such work do not go on by themselves; asked
     *     each time, and may block
     */
    default OutstandingAgents withoutLeft(UnaryOperator<Set<AgentId>> waiting) {
      CompletionStage<Set<String>> before = outstanding().exceptionally(unread -> Set.of());
      Set<String> done = ConcurrentHashMap.newKeySet();
      return () ->
          before
              .thenCombine(
                  outstanding(),
                  (left, now) -> {
                    left.stream().filter(id -> !now.contains(id)).forEach(done::add);
                    Set<AgentId> still =
                        left.stream()
                            .filter(id -> !done.contains(id))
                            .map(AgentId::parse)
                            .collect(Collectors.toSet());
                    return still.isEmpty()
                        ? CompletableFuture.completedStage(now)
                        : CompletableFuture.supplyAsync(
                            () -> without(now, waiting.apply(still)), Thread::startVirtualThread);
                  })
              .thenCompose(Function.identity());
    }

    private static Set<String> without(Set<String> all, Set<AgentId> some) {
      Set<String> rest = new HashSet<>(all);
      some.forEach(one -> rest.remove(one.persistenceId()));
      return rest;
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
      if (other.isEmpty()) {
        return one;
      }
      Set<String> both = new HashSet<>(one);
      both.addAll(other);
      return both;
    }
  }
}
