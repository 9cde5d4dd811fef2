package dev.colony.node.faults;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.node.runtime.JournaledOutstanding;
import dev.colony.testkit.load.InstantModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;

/**
 * A process of its own that runs paying agents on a Redis that outlives it. A payment is a line in
 * a file. Arguments: Redis URI, the file.
 */
final class PayingNode {

  private static final String QUICK =
      """
      pekko.actor.provider = cluster
      pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
      pekko.cluster.jmx.enabled = off
      pekko.loglevel = WARNING
      pekko.persistence.journal.plugin = "colony.agent.journal"
      pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
      colony.agent {
        placement-units = 8
        journal-backoff { shortest = 20ms, longest = 100ms }
        inbox { sweep = 300ms, workers = 2 }
        waker { sweep = 200ms }
      }
      """;

  private PayingNode() {}

  static Config config(String redisUri) {
    return ConfigFactory.parseString("colony.agent.journal.redis-uri = \"" + redisUri + "\"")
        .withFallback(ConfigFactory.parseString(QUICK))
        .withFallback(ConfigFactory.load());
  }

  static RedisBlackboards boards(String redisUri) {
    return new RedisBlackboards(
        new RedisConnections(redisUri, Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
  }

  public static void main(String[] args) {
    Config config = config(args[0]);
    Path file = Path.of(args[1]);
    ActorTestKit kit = ActorTestKit.create(config);
    Cluster cluster = Cluster.get(kit.system());
    cluster.manager().tell(Join.create(cluster.selfMember().address()));
    AgentSettings settings = AgentSettings.fromConfig(config);
    AgentRuntime.start(
        kit.system(),
        settings,
        new AgentRuntime.Setup(
            NodePorts.none()
                .with(Blackboards.class, boards(args[0]))
                .with(InferenceGateway.class, new InstantModel())
                .with(Outside.Door.class, (actionId, key) -> pay(file, key)),
            AgentTypes.of(List.of(new PayerTypes())),
            new JournaledOutstanding(kit.system()),
            HomeResolver.byHash(settings.placementUnits()),
            Optional.empty(),
            (agent, took) -> {}));
  }

  /** In the file for good, whatever becomes of the process. */
  private static synchronized String pay(Path file, String key) {
    try {
      Files.writeString(file, key + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return key;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
