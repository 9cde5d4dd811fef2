package dev.colony.node.runtime;

import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.child.ChildRegistry;
import dev.colony.client.child.ChildService;
import dev.colony.client.child.ChildrenSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentInspector;
import dev.colony.client.history.HistoryReader;
import dev.colony.client.history.Replayed;
import dev.colony.client.session.BlackboardRunRecorder;
import dev.colony.client.session.RunRecorder;
import dev.colony.client.session.SessionSettings;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import dev.colony.journal.PastEvents;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.AgentListener;
import dev.colony.node.NodeLoad;
import dev.colony.node.NodePorts;
import dev.colony.node.OutstandingAgents;
import dev.colony.node.StepListener;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.activation.NodeServices;
import dev.colony.node.admission.NodeAdmission;
import dev.colony.node.entity.AcceptReply;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.entity.AgentShards;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.RestartBackoff;
import dev.colony.node.home.Homes;
import dev.colony.node.home.RecentLayout;
import dev.colony.node.home.Rehoming;
import dev.colony.node.inbox.InboxReaders;
import dev.colony.node.lease.LeaseService;
import dev.colony.node.lease.NodeLeases;
import dev.colony.node.pages.BoundPages;
import dev.colony.node.placement.ShardingLayout;
import dev.colony.node.resumption.WaitOrder;
import dev.colony.node.retention.EndedAgents;
import dev.colony.node.retention.Keeping;
import dev.colony.node.retention.RetentionSettings;
import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.table.PageTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
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
   *     fare
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

  /**
   * Starts the agents' sharding, the inbox's readers and the waker. Does not wait for the cluster.
   */
  public static AgentRuntime start(ActorSystem<?> system, AgentSettings settings, Setup setup) {
    Blackboards blackboards = setup.services().get(Blackboards.class);
    Colony colony =
        new BlackboardColony(
            blackboards,
            setup.homes(),
            ClientSettings.fromConfig(system.settings().config()),
            () -> new AgentHistory(past(system, setup), new Lifecycle(settings.limits())));
    // Not a dispatcher of Pekko's: its virtual-thread executor wants --add-opens or warns at
    // length.
    ThreadFactory threads = Thread.ofVirtual().name("agent-step-", 0).factory();
    Config config = system.settings().config();
    CarrierWatch.start(CarrierSettings.fromConfig(config));
    ChildrenSettings children = ChildrenSettings.fromConfig(config);
    CapacitySettings capacity = CapacitySettings.fromConfig(config);
    RunRecorder recorder =
        new BlackboardRunRecorder(
            blackboards, SessionSettings.fromConfig(config), blackboards.clock());
    AgentDirectory directory = new AgentDirectory(blackboards);
    ChildRegistry nursery = new ChildRegistry(blackboards, setup.homes(), children);
    SuspendedAgents suspended =
        SuspendedAgents.start(
            system,
            settings.blackboardBackoff(),
            setup.services(),
            WaitOrder.aged(directory, capacity.preemption().aging()),
            blackboards.clock());
    Optional<LeaseService> leases = LeaseService.of(system, setup.services());
    NodePorts known =
        setup.services().with(Colony.class, colony).with(ClusterLayout.class, layout(system));
    NodePorts ports = leases.map(all -> known.with(NodeLeases.class, all.leases())).orElse(known);
    NodeServices services =
        AgentShards.services(
            settings,
            config,
            setup.types(),
            ports,
            new ChildService(blackboards, nursery, colony, children),
            recorder,
            suspended.resumptions(),
            new JournalHistoryReader(() -> past(system, setup), new Lifecycle(settings.limits())),
            setup.listener(),
            task -> threads.newThread(task).start());
    AgentShards shards = AgentShards.start(system, settings, services, setup.allocation());
    EntityClient entities = shards.entities();
    PageArrivals arrivals = new PageArrivals(suspended.resumptions(), settings.blackboardBackoff());
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
        InboxReaders.start(
            system, settings.inbox(), settings.blackboardBackoff(), blackboards, shards, rehoming);
    ClusterSingleton.get(system)
        .init(
            SingletonActor.of(
                RestartBackoff.of(
                    Waker.create(settings.waker(), setup.outstanding(), directory, entities),
                    settings.blackboardBackoff()),
                "agent-waker"));
    keep(
        system,
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
      ActorSystem<?> system, Blackboards blackboards, EndedAgents ended, AgentListener listener) {
    Config config = system.settings().config();
    RetentionSettings settings = RetentionSettings.fromConfig(config);
    Keeping keeping =
        new Keeping(
            blackboards,
            ended,
            settings,
            SessionSettings.fromConfig(config),
            blackboards.clock(),
            listener);
    ClusterSingleton.get(system)
        .init(
            SingletonActor.of(
                RestartBackoff.of(
                    BatchWalk.create(
                        new BatchWalk.Course<Keeping.Place>(
                            Keeping.Place.BEGINNING,
                            settings.sweep(),
                            settings.pause(),
                            keeping::look),
                        settings.sweep(),
                        new BatchWalk.Outage(
                            "what is stored cannot be looked at for what has had its time")),
                    AgentSettings.fromConfig(config).blackboardBackoff()),
                "agent-retention"));
  }

  /**
   * Builds an agent on trial: why this node could not build it, and where in its blueprint that is;
   * empty if it could. May block, and leaves nothing behind.
   */
  public Optional<BlueprintFile.Problem> trial(AgentId id, AgentBlueprint blueprint) {
    return activations.trial(id, blueprint);
  }

  /** The way to agents from this node. */
  public Colony colony() {
    return colony;
  }

  /** How much the agents of this node have under way now. */
  public NodeLoad load() {
    return shards.load(delivering.getAsInt());
  }

  /** Where both the pages and the policy are known. */
  private static Optional<Homes> homes(ActorSystem<?> system, NodePorts services) {
    RecentLayout layout =
        new RecentLayout(layout(system), LAYOUT_LASTS, services.get(Blackboards.class).clock());
    return services
        .find(PlacementPolicy.class)
        .flatMap(policy ->
            services
                .find(PageTable.class)
                .map(table -> new Homes(policy, table::snapshot, layout)));
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
  }
}
