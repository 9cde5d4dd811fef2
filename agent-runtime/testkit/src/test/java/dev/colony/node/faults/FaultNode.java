package dev.colony.node.faults;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.testkit.load.InstantModel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;

/** A cluster of one node in memory, with narrow bounds. */
final class FaultNode implements AutoCloseable {

  private static final String NARROW =
      """
      pekko.actor.provider = cluster
      pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
      pekko.cluster {
        jmx.enabled = off
        leader-actions-interval = 100ms
        periodic-tasks-initial-delay = 50ms
      }
      pekko.coordinated-shutdown.exit-jvm = off
      pekko.loglevel = OFF
      colony.agent {
        placement-units = 8
        inbox { sweep = 300ms, workers = 2 }
        client.poll = 200ms
        carriers.stall = 100ms
        children.max = 5
        action { grace = 50ms, computing { threads = 1, max-abandoned = 2 } }
      }
      """;

  private final ActorTestKit kit;
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final AgentRuntime runtime;

  FaultNode(TypeProvider types) {
    Config config =
        ConfigFactory.parseString(NARROW)
            .withFallback(PersistenceTestKitPlugin.config())
            .withFallback(PersistenceTestKitSnapshotPlugin.config())
            .withFallback(ConfigFactory.load());
    kit = ActorTestKit.create(config);
    Cluster cluster = Cluster.get(kit.system());
    cluster.manager().tell(Join.create(cluster.selfMember().address()));
    AgentSettings settings = AgentSettings.fromConfig(config);
    runtime =
        AgentRuntime.start(
            kit.system(),
            settings,
            new AgentRuntime.Setup(
                NodePorts.none()
                    .with(Blackboards.class, boards)
                    .with(InferenceGateway.class, new InstantModel()),
                AgentTypes.of(List.of(types)),
                () -> CompletableFuture.completedStage(Set.of()),
                HomeResolver.byHash(settings.placementUnits()),
                Optional.empty(),
                (agent, took) -> {}));
  }

  Colony colony() {
    return runtime.colony();
  }

  @Override
  public void close() {
    kit.shutdownTestKit();
    boards.close();
  }
}
