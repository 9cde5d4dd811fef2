package dev.colony.node.admission;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.node.runtime.JournaledOutstanding;
import dev.colony.testkit.load.InstantModel;
import java.time.Duration;
import java.util.Optional;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.AddressFromURIString;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.cluster.typed.Cluster;

/**
 * A process of its own with slots for two agents at work and three in memory that wait, on a Redis
 * that outlives it. Says "up ADDRESS" when it is. Arguments: Redis URI, and the address of the node
 * to join, if any.
 */
final class CrowdedNode {

  private CrowdedNode() {}

  public static void main(String[] args) {
    ActorTestKit kit = ActorTestKit.create("crowded", config(args[0]));
    Optional<Address> seed =
        args.length > 1 ? Optional.of(AddressFromURIString.parse(args[1])) : Optional.empty();
    new LocalNode(
        kit,
        seed,
        new RedisBlackboards(
            new RedisConnections(args[0], Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS),
        new InstantModel(),
        new TestTypes(),
        new JournaledOutstanding(kit.system()),
        (agent, took) -> {});
    Cluster cluster = Cluster.get(kit.system());
    org.apache.pekko.cluster.Cluster.get(kit.system())
        .registerOnMemberUp(() -> System.out.println("up " + cluster.selfMember().address()));
  }

  private static Config config(String redisUri) {
    return ConfigFactory.parseString(
            """
            pekko.actor.serialize-messages = off
            pekko.persistence.journal.plugin = "colony.agent.journal"
            pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
            pekko.cluster {
              downing-provider-class = "org.apache.pekko.cluster.sbr.SplitBrainResolverProvider"
              split-brain-resolver { active-strategy = keep-majority, stable-after = 3s }
              failure-detector { acceptable-heartbeat-pause = 4s, heartbeat-interval = 500ms }
            }
            colony.agent {
              journal.redis-uri = "%s"
              passivate-after = 1s
              capacity {
                agents = 2
                waiting { most = 3, longest = 100ms, keep = 2 }
                report { every = 100ms, sweep = 300ms, grace = 3s }
              }
            }
            """
                .formatted(redisUri))
        .withFallback(LocalNode.config(""));
  }
}
