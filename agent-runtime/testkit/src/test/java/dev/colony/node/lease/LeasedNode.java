package dev.colony.node.lease;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.node.AgentListener;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.node.runtime.JournaledOutstanding;
import dev.colony.vcm.schedule.lease.LeaseCounts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.pekko.actor.AddressFromURIString;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;

/**
 * A process of its own whose agents need leases at two replicas, on a Redis that outlives it. Says
 * "up ADDRESS" when it is, "begin AGENT REPLICA" and "end AGENT" of each call that goes to a
 * replica by a lease, and "leases COUNT REBUILDING" where it keeps all leases, when that has
 * changed. Arguments: Redis URI, and the address of the node to join, if any.
 */
final class LeasedNode {

  private LeasedNode() {}

  /** Tells of each call by a lease, which takes a while. */
  private record Told(InferenceGateway model, Duration takes) implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      String agent = request.context().agent().orElse("");
      Optional<String> replica = request.context().replica();
      replica.ifPresent(name -> System.out.println("begin " + agent + " " + name));
      return CompletableFuture.supplyAsync(
              () -> request,
              CompletableFuture.delayedExecutor(takes.toMillis(), TimeUnit.MILLISECONDS))
          .thenCompose(asked -> model.complete(asked, parts))
          .whenComplete((reply, failure) -> {
            if (replica.isPresent()) {
              System.out.println("end " + agent);
            }
          });
    }

    @Override
    public Optional<PromptCaches> promptCaches() {
      return model.promptCaches();
    }

    @Override
    public void close() {}
  }

  public static void main(String[] args) {
    ActorTestKit kit = ActorTestKit.create("leased", config(args[0]));
    Cluster cluster = Cluster.get(kit.system());
    cluster
        .manager()
        .tell(
            Join.create(
                args.length > 1
                    ? AddressFromURIString.parse(args[1])
                    : cluster.selfMember().address()));
    AtomicReference<String> said = new AtomicReference<>("");
    AgentListener listener =
        new AgentListener() {
          @Override
          public void leases(LeaseCounts counts) {
            String line = "leases " + counts.leases() + " " + counts.rebuilding();
            if (!line.equals(said.getAndSet(line))) {
              System.out.println(line);
            }
          }
        };
    Blackboards boards =
        new RedisBlackboards(
            new RedisConnections(args[0], Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
    AgentSettings settings = AgentSettings.fromConfig(kit.system().settings().config());
    AgentRuntime.start(
        kit.system(),
        settings,
        new AgentRuntime.Setup(
            NodePorts.none()
                .with(Blackboards.class, boards)
                .with(AgentListener.class, listener)
                .with(
                    InferenceGateway.class,
                    new Told(new CachedModel(60, "r0", "r1"), Duration.ofMillis(50))),
            AgentTypes.of(List.of(new TurnTypes())),
            new JournaledOutstanding(kit.system()),
            HomeResolver.byHash(settings.placementUnits()),
            Optional.empty(),
            (agent, took) -> {}));
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
              capacity.report { every = 100ms, while-waiting = 100ms, sweep = 300ms, grace = 3s }
            }
            colony.vcm.leases {
              enabled = true, term = 4s, renew = 500ms, grace = 4s, pickup = 8s
              bound = 5s, patience = 300ms, send-interval = 20ms
            }
            """
                .formatted(redisUri))
        .withFallback(LocalNode.config(""));
  }
}
