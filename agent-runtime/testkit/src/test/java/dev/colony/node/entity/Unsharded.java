package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Colony;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Waiting;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentInspector;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.journal.JournalSettings;
import dev.colony.journal.LostLogs.EventLosses;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.NodeBounds;
import dev.colony.testkit.InstantModel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;

/** Agents' actors without cluster and shards. */
final class Unsharded {

  final BlackboardColony colony;

  /** One for each time that an agent has asked to be started elsewhere. */
  final Semaphore wakeUps = new Semaphore(0);

  /** One for each time that an agent has asked to be stopped. */
  final Semaphore passivations = new Semaphore(0);

  final AtomicInteger incarnations = new AtomicInteger();

  private final ActorTestKit kit;
  private final Blackboards boards;
  private final InferenceGateway model;
  private final TestTypes types;
  private final NodeBounds bounds;

  Unsharded(ActorTestKit kit, Blackboards boards, TestTypes types) {
    this(kit, boards, types, new InstantModel(), Bounds.QUICK);
  }

  Unsharded(
      ActorTestKit kit,
      Blackboards boards,
      TestTypes types,
      InferenceGateway model,
      NodeBounds bounds) {
    this.bounds = bounds;
    this.model = model;
    this.kit = kit;
    this.boards = boards;
    this.types = types;
    this.colony =
        new BlackboardColony(
            boards,
            HomeResolver.byHash(1),
            Settings.read(ClientSettings.class, kit.system().settings().config()));
  }

  /**
   * Starts an incarnation of an agent.
   *
   * @param node that it takes itself to be on
   */
  ActorRef<AgentMessage> incarnation(AgentId agent, String node) {
    return incarnation(agent, node, types);
  }

  /**
   * The same on a node of a certain release.
   *
   * @param release the types that it knows
   */
  ActorRef<AgentMessage> incarnation(AgentId agent, String node, TypeProvider release) {
    return incarnation(agent, around(node, release));
  }

  private ActorRef<AgentMessage> incarnation(AgentId agent, EntityServices around) {
    incarnations.incrementAndGet();
    return kit.spawn(AgentEntity.create(agent, around, shard(agent, around)));
  }

  private EntityServices around(String node, TypeProvider release) {
    var config = kit.system().settings().config();
    AgentSettings settings = Settings.read(AgentSettings.class, config);
    ChildrenSettings children = Settings.read(ChildrenSettings.class, config);
    boolean journaled =
        config.getString("pekko.persistence.journal.plugin").equals(JournalSettings.PATH);
    return EntityServices.of(
        node,
        settings,
        config,
        AgentShards.services(
            settings,
            config,
            AgentTypes.of(List.of(release)),
            LocalNode.services(boards, model, types)
                .with(NodeBounds.class, bounds)
                .with(Colony.class, colony),
            new ChildService(
                boards, new ChildRegistry(boards, HomeResolver.byHash(1), children), colony),
            RunRecorder.NONE,
            Waiting.on(boards, config),
            journaled
                ? new AgentInspector(
                    JournalExtension.reader(kit.system()),
                    new Lifecycle(RunLimits.fromConfig(config)))
                : (origin, at) -> CompletableFuture.failedStage(new IllegalStateException()),
            (one, took) -> {},
            task -> Thread.ofVirtual().start(task)),
        journaled ? JournalExtension.journal(kit.system()) : EventLosses.NONE);
  }

  private AgentEntity.ShardLink shard(AgentId agent, EntityServices around) {
    return new AgentEntity.ShardLink() {
      @Override
      public void passivate(ActorRef<AgentMessage> self) {
        passivations.release();
      }

      @Override
      public void wakeElsewhere() {
        wakeUps.release();
      }

      @Override
      public int unit() {
        return 0;
      }

      @Override
      public void forward(int unit, AgentMessage.Remote message) {
        // It never moves: the actor that it had has asked to be stopped, and the next one is
        // started.
        incarnation(agent, around).tell(message);
      }
    };
  }
}
