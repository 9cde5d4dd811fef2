package dev.colony.agent.entity;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.Colony;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.OutstandingAgents;
import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.blueprint.TypeProvider;
import dev.colony.blackboard.Blackboards;
import dev.colony.inference.InferenceGateway;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.ShardCoordinator.ShardAllocationStrategy;
import org.apache.pekko.cluster.sharding.ShardRegion.CurrentShardRegionState;
import org.apache.pekko.cluster.sharding.typed.GetShardRegionState;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;

/** A cluster of one node whose journal is in memory and can be made to fail. */
final class LocalNode implements AutoCloseable {

  private static final String QUICK =
      """
      pekko.actor.provider = cluster
      pekko.actor.serialize-messages = on
      pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
      pekko.cluster.jmx.enabled = off
      pekko.cluster {
        gossip-interval = 100ms
        leader-actions-interval = 100ms
        periodic-tasks-initial-delay = 50ms
        sharding.retry-interval = 200ms
      }
      pekko.coordinated-shutdown.exit-jvm = off
      pekko.loglevel = WARNING
      colony.agent {
        placement-units = 8
        leave-grace = 200ms
        journal-backoff { shortest = 20ms, longest = 100ms }
        blackboard-backoff { shortest = 10ms, longest = 50ms }
        inbox { sweep = 300ms, workers = 2 }
        waker { sweep = 200ms }
        client.poll = 200ms
      }
      """;

  private final ActorTestKit kit;
  private final AgentRuntime runtime;
  final AgentSettings settings;

  static Config config(String more) {
    return ConfigFactory.parseString(more)
        .withFallback(ConfigFactory.parseString(QUICK))
        .withFallback(PersistenceTestKitPlugin.config())
        .withFallback(PersistenceTestKitSnapshotPlugin.config())
        .withFallback(ConfigFactory.load());
  }

  LocalNode(
      ActorTestKit kit,
      Blackboards blackboards,
      InferenceGateway model,
      TypeProvider types,
      OutstandingAgents outstanding,
      StepListener listener) {
    this(kit, Optional.empty(), blackboards, model, types, outstanding, listener);
  }

  /**
   * @param seed the node whose cluster this one joins; empty for a cluster of its own
   */
  LocalNode(
      ActorTestKit kit,
      Optional<Address> seed,
      Blackboards blackboards,
      InferenceGateway model,
      TypeProvider types,
      OutstandingAgents outstanding,
      StepListener listener) {
    this(kit, seed, blackboards, model, types, outstanding, listener, Optional.empty());
  }

  /**
   * @param allocation which node gets a placement unit; empty for the least loaded
   */
  LocalNode(
      ActorTestKit kit,
      Optional<Address> seed,
      Blackboards blackboards,
      InferenceGateway model,
      TypeProvider types,
      OutstandingAgents outstanding,
      StepListener listener,
      Optional<ShardAllocationStrategy> allocation) {
    this.kit = kit;
    Cluster cluster = Cluster.get(kit.system());
    cluster.manager().tell(Join.create(seed.orElse(cluster.selfMember().address())));
    settings = AgentSettings.fromConfig(kit.system().settings().config());
    runtime =
        AgentRuntime.start(
            kit.system(),
            settings,
            new AgentRuntime.Parts(
                services(blackboards, model, types),
                AgentTypes.of(List.of(types)),
                outstanding,
                HomeResolver.byHash(settings.placementUnits()),
                allocation,
                listener));
  }

  static LocalNode start(Blackboards blackboards, TypeProvider types) {
    return new LocalNode(
        ActorTestKit.create(config("")),
        blackboards,
        new FakeModel(),
        types,
        () -> CompletableFuture.completedStage(Set.of()),
        (agent, took) -> {});
  }

  /** What agents find; among it the types, by which a test reaches into them. */
  static Services services(Blackboards blackboards, InferenceGateway model, TypeProvider types) {
    Services services =
        Services.none().with(Blackboards.class, blackboards).with(InferenceGateway.class, model);
    return types instanceof TestTypes tests ? services.with(TestTypes.class, tests) : services;
  }

  ActorSystem<?> system() {
    return kit.system();
  }

  Colony colony() {
    return runtime.colony();
  }

  /** Whether an agent whose home is chosen by its hash is in memory here. */
  boolean holds(AgentId agent) {
    int unit = HomeResolver.byHash(settings.placementUnits()).homeOf(agent, null);
    TestProbe<CurrentShardRegionState> probe = TestProbe.create(kit.system());
    ActorRef<CurrentShardRegionState> replyTo = probe.getRef();
    ClusterSharding.get(kit.system())
        .shardState()
        .tell(new GetShardRegionState(AgentDoor.KEY, replyTo));
    return probe.receiveMessage(Duration.ofSeconds(10)).getShards().stream()
        .anyMatch(shard -> shard.getEntityIds().contains(EntityIds.of(unit, agent)));
  }

  @Override
  public void close() {
    kit.shutdownTestKit();
  }
}
