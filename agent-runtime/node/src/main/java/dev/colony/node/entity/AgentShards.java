package dev.colony.node.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.author.PolicySettings;
import dev.colony.blackboard.payload.PayloadSweep.Swept;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.ChildService;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.client.session.ResultPublisher;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalSettings;
import dev.colony.journal.LostLogs.EventLosses;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.activation.ModelCaller;
import dev.colony.node.admission.NodeSlots;
import dev.colony.node.resumption.Resumptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityContext;
import org.apache.pekko.cluster.typed.Cluster;

/** Agents' actors on this node, each in the shard that is its placement unit. */
public final class AgentShards {

  private final EntityServices services;
  private final EntityClient entities;

  private AgentShards(EntityServices services, EntityClient entities) {
    this.services = services;
    this.entities = entities;
  }

  /** What a node brings along for its agents, with what its settings say. */
  public static ActivationFactory.NodeServices services(
      AgentSettings settings,
      Config config,
      AgentTypes types,
      NodePorts ports,
      ChildService families,
      RunRecorder recorder,
      Resumptions resumptions,
      HistoryReader history,
      StepListener listener,
      Executor threads) {
    RunLimits limits = RunLimits.fromConfig(config);
    Backoff backoff = NodeBounds.of(ports).blackboard();
    ModelCaller models =
        new ModelCaller(
            ports,
            settings.modelCallDeadline(),
            backoff,
            settings.maxPrompt(),
            limits.maxOutputBytes());
    return new ActivationFactory.NodeServices(
        types,
        ports,
        families,
        recorder,
        resumptions,
        history,
        listener,
        threads,
        new ActionThreads(DispatchSettings.fromConfig(config)),
        models,
        Settings.read(PolicySettings.class, config),
        limits,
        settings.capability().maxSnapshot(),
        settings.retention().progress(),
        backoff);
  }

  /**
   * Starts the agents' sharding on this node. Does not wait for the cluster.
   *
   * @param allocation which node gets a placement unit; empty for the least loaded
   */
  public static AgentShards start(
      ActorSystem<?> system,
      AgentSettings settings,
      ActivationFactory.NodeServices shared,
      Optional<ShardAllocationStrategy> allocation) {
    EntityServices services =
        EntityServices.of(
            nodeName(system), settings, system.settings().config(), shared, losses(system));
    ClusterSharding sharding = ClusterSharding.get(system);
    EntityClient entities = new EntityClient(sharding, services.bounds().inbox().acceptTimeout());
    sharding.init(entity(system, services, entities, allocation));
    return new AgentShards(services, entities);
  }

  /** The way to agents, wherever they are. */
  public EntityClient entities() {
    return entities;
  }

  /** The places of this node for agents at work. */
  public NodeSlots slots() {
    return services.slots();
  }

  /**
   * How much the agents of this node have under way.
   *
   * @param delivering messages on their way to agents
   */
  public NodeLoad load(int delivering) {
    ActivationFactory.NodeServices shared = services.shared();
    ActionThreads actions = shared.actionThreads();
    return new NodeLoad(
        services.slots().taken(),
        services.slots().waiting(),
        delivering,
        actions.computingQueued(),
        actions.abandonedBlocking() + actions.abandonedComputing());
  }

  /** Has this node's agents begin no more model calls; see {@link ModelCaller#finish}. */
  public CompletionStage<Integer> finishModelCalls(Duration longest) {
    return services.shared().models().finish(longest);
  }

  /** Where the results of this node's agents go. */
  public ResultPublisher results() {
    return services.results();
  }

  /** The gateway that this node's agents ask. */
  public InferenceGateway models() {
    return services.shared().ports().get(InferenceGateway.class);
  }

  public RunRecorder recorder() {
    return services.shared().recorder();
  }

  public Resumptions resumptions() {
    return services.shared().resumptions();
  }

  /** What this node's agents have to do with scopes. */
  public ScopeEvents events() {
    return services.events();
  }

  private static Entity<AgentMessage, ?> entity(
      ActorSystem<?> system,
      EntityServices services,
      EntityClient entities,
      Optional<ShardAllocationStrategy> allocation) {
    ClusterShardingSettings sharding =
        ClusterShardingSettings.create(system)
            .withNoPassivationStrategy()
            .withRememberEntities(false);
    var entity =
        Entity.of(EntityClient.KEY, context -> behavior(system, context, services, entities))
            .withStopMessage(new AgentMessage.Leave())
            .withMessageExtractor(new EntityClient.EntityIds())
            .withSettings(sharding);
    return allocation.map(entity::withAllocationStrategy).orElse(entity);
  }

  private static Behavior<AgentMessage> behavior(
      ActorSystem<?> system,
      EntityContext<AgentMessage> context,
      EntityServices services,
      EntityClient entities) {
    return AgentEntity.create(
        EntityClient.EntityIds.agent(context.getEntityId()),
        services,
        new ClusterShardLink(system, context, entities));
  }

  /**
   * What the journal knows of events that are lost; nothing where another plugin is the journal.
   */
  private static EventLosses losses(ActorSystem<?> system) {
    if (!JournalSettings.isPlugin(system.settings().config())) {
      return EventLosses.NONE;
    }
    Journal journal = JournalExtension.journal(system);
    journal.watch(nodeName(system));
    return journal;
  }

  /** Sweeps the payloads of journals behind this name; none where another plugin is the journal. */
  public static CompletionStage<Swept> sweepPayloads(
      ActorSystem<?> system, Optional<String> after, Instant now) {
    return JournalSettings.isPlugin(system.settings().config())
        ? JournalExtension.journal(system).removal().sweep(after, now)
        : CompletableFuture.completedStage(new Swept(0, Optional.empty()));
  }

  private static String nodeName(ActorSystem<?> system) {
    var member = Cluster.get(system).selfMember().uniqueAddress();
    return member.address().hostPort() + "#" + Long.toUnsignedString(member.longUid(), 36);
  }

  /** An agent's actor in the shard that is the placement unit of its entity id. */
  static final class ClusterShardLink implements AgentEntity.ShardLink {

    private final ActorSystem<?> system;
    private final ActorRef<ClusterSharding.ShardCommand> shard;
    private final EntityClient entities;
    private final AgentId agent;
    private final int unit;
    private boolean passivates;

    ClusterShardLink(
        ActorSystem<?> system, EntityContext<AgentMessage> context, EntityClient entities) {
      this.system = system;
      this.shard = context.getShard();
      this.entities = entities;
      this.agent = EntityClient.EntityIds.agent(context.getEntityId());
      this.unit = EntityClient.EntityIds.unit(context.getEntityId());
    }

    @Override
    public int unit() {
      return unit;
    }

    @Override
    public void passivate(ActorRef<AgentMessage> self) {
      passivates = true;
      shard.tell(new ClusterSharding.Passivate<>(self));
    }

    /**
     * One that was told to go on just when it had asked to leave is started again by its shard. One
     * whose shard leaves, without another node, would only have the message wait in the shard
     * region for this one's end; the waker finds the agent when there is a node again.
     */
    @Override
    public void wakeElsewhere() {
      if (passivates || hasOthers()) {
        entities.wake(unit, agent);
      }
    }

    @Override
    public void forward(int to, AgentMessage.Remote message) {
      entities.forward(to, agent, message);
    }

    private boolean hasOthers() {
      Cluster cluster = Cluster.get(system);
      return StreamSupport.stream(cluster.state().getMembers().spliterator(), false)
          .anyMatch(member ->
              member.status() == MemberStatus.up()
                  && !member.uniqueAddress().equals(cluster.selfMember().uniqueAddress()));
    }
  }

  /**
   * How much a node's agents have under way and waiting, at one moment.
   *
   * @param atWork agents that hold a slot for agents at work
   * @param waiting agents that wait in memory for such a slot
   * @param delivering messages of the inbox that this node has taken to agents and that are not
   *     done with
   * @param computingWaiting actions that wait for a thread to compute on
   * @param abandonedThreads threads of actions that do not end although their time is over
   */
  public record NodeLoad(
      int atWork, int waiting, int delivering, int computingWaiting, int abandonedThreads) {}

  /** What becomes of actors that fail: they are made anew after a pause that grows. */
  public static final class RestartBackoff {

    private static final double JITTER = 0.2;

    private RestartBackoff() {}

    /** Pauses as long as the backoff, plus up to a fifth. */
    public static BackoffSupervisorStrategy after(Backoff pauses) {
      return SupervisorStrategy.restartWithBackoff(pauses.shortest(), pauses.longest(), JITTER);
    }

    /** An actor that is made anew after any failure. */
    public static <M> Behavior<M> of(Behavior<M> behavior, Backoff pauses) {
      return Behaviors.supervise(behavior).onFailure(Exception.class, after(pauses));
    }
  }
}
