package dev.colony.agent.entity;

import dev.colony.agent.NodeLoad;
import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.activation.Equipment;
import dev.colony.agent.activation.ModelCaller;
import dev.colony.agent.admission.NodeSlots;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.child.Families;
import dev.colony.agent.dispatch.ActionThreads;
import dev.colony.agent.inspect.HistoryReader;
import dev.colony.agent.journal.EventLosses;
import dev.colony.agent.journal.Journal;
import dev.colony.agent.journal.JournalSettings;
import dev.colony.agent.journal.pekko.JournalExtension;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.session.ResultPublisher;
import dev.colony.agent.session.RunRecorder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.Entity;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityContext;
import org.apache.pekko.cluster.typed.Cluster;

/** Agents' actors on this node, each in the shard that is its placement unit. */
public final class AgentShards {

  private final Surroundings around;
  private final EntityClient entities;

  private AgentShards(Surroundings around, EntityClient entities) {
    this.around = around;
    this.entities = entities;
  }

  /**
   * What a node brings along for its agents.
   *
   * @param pasts what forks inherit from
   * @param threads runs agents' code, each task on a thread of its own
   */
  public record Means(
      AgentTypes types,
      Services services,
      Families families,
      RunRecorder recorder,
      Resumptions resumptions,
      HistoryReader pasts,
      StepListener listener,
      Executor threads) {}

  /**
   * Starts the agents' sharding on this node. Does not wait for the cluster.
   *
   * @param allocation which node gets a placement unit; empty for the least loaded
   */
  public static AgentShards start(
      ActorSystem<?> system,
      AgentSettings settings,
      Means means,
      Optional<ShardAllocationStrategy> allocation) {
    Surroundings around =
        Surroundings.of(
            nodeName(system), settings, system.settings().config(), means, losses(system));
    ClusterSharding sharding = ClusterSharding.get(system);
    EntityClient entities = new EntityClient(sharding, settings.inbox().acceptTimeout());
    sharding.init(entity(system, around, entities, allocation));
    return new AgentShards(around, entities);
  }

  /** The way to agents, wherever they are. */
  public EntityClient entities() {
    return entities;
  }

  /** The places of this node for agents at work. */
  public NodeSlots slots() {
    return around.slots();
  }

  /**
   * How much the agents of this node have under way.
   *
   * @param delivering messages on their way to agents
   */
  public NodeLoad load(int delivering) {
    Equipment equipment = around.activations().equipment();
    ActionThreads actions = equipment.actionThreads();
    return new NodeLoad(
        around.slots().taken(),
        around.slots().waiting(),
        delivering,
        equipment.models().waiting(),
        actions.computingQueued(),
        actions.abandonedBlocking() + actions.abandonedComputing());
  }

  /** Has this node's agents begin no more model calls; see {@link ModelCaller#finish}. */
  public CompletionStage<Integer> finishModelCalls(Duration longest) {
    return around.activations().equipment().models().finish(longest);
  }

  /** Where the results of this node's agents go. */
  public ResultPublisher results() {
    return around.results();
  }

  /** What this node's agents have to do with scopes. */
  public ScopeEvents events() {
    return around.events();
  }

  private static Entity<AgentMessage, ?> entity(
      ActorSystem<?> system,
      Surroundings around,
      EntityClient entities,
      Optional<ShardAllocationStrategy> allocation) {
    ClusterShardingSettings sharding =
        ClusterShardingSettings.create(system)
            .withNoPassivationStrategy()
            .withRememberEntities(false);
    var entity =
        Entity.of(EntityClient.KEY, context -> behavior(system, context, around, entities))
            .withStopMessage(new AgentMessage.Leave())
            .withMessageExtractor(new EntityIds())
            .withSettings(sharding);
    return allocation.map(entity::withAllocationStrategy).orElse(entity);
  }

  private static Behavior<AgentMessage> behavior(
      ActorSystem<?> system,
      EntityContext<AgentMessage> context,
      Surroundings around,
      EntityClient entities) {
    return AgentEntity.create(
        EntityIds.agent(context.getEntityId()),
        around,
        new ClusterShardLink(system, context, entities));
  }

  /**
   * What the journal knows of events that are lost; nothing where another plugin is the journal.
   */
  private static EventLosses losses(ActorSystem<?> system) {
    String plugin = system.settings().config().getString("pekko.persistence.journal.plugin");
    if (!plugin.equals(JournalSettings.PATH)) {
      return EventLosses.NONE;
    }
    Journal journal = JournalExtension.journal(system);
    journal.watch(nodeName(system));
    return journal;
  }

  private static String nodeName(ActorSystem<?> system) {
    var member = Cluster.get(system).selfMember().uniqueAddress();
    return member.address().hostPort() + "#" + Long.toUnsignedString(member.longUid(), 36);
  }
}
