package dev.colony.server.metrics;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.node.entity.AgentShards.NodeLoad;
import dev.colony.node.entity.EntityClient;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.typed.GetShardRegionState;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.typed.Cluster;

/** The cluster as this node sees it, and how busy its actors' threads are. Thread-safe. */
final class ClusterFigures {

  private static final Duration SHARDS_TIMEOUT = Duration.ofSeconds(1);

  private final ActorSystem<?> system;
  private final Timer delay;
  private volatile int shards;

  ClusterFigures(MeterRegistry registry, ActorSystem<?> system) {
    this.system = system;
    this.delay = LatencyBuckets.of(registry, "colony.dispatcher.delay");
    Cluster cluster = Cluster.get(system);
    for (MemberStatus status :
        Set.of(
            MemberStatus.joining(),
            MemberStatus.weaklyUp(),
            MemberStatus.up(),
            MemberStatus.leaving(),
            MemberStatus.exiting(),
            MemberStatus.down())) {
      Gauge.builder("colony.cluster.members", () -> count(cluster, status))
          .tag("status", status.toString().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    Gauge.builder("colony.cluster.unreachable", () -> cluster.state().getUnreachable().size())
        .register(registry);
    Gauge.builder("colony.shards", () -> shards).register(registry);
  }

  private static long count(Cluster cluster, MemberStatus status) {
    return StreamSupport.stream(cluster.state().getMembers().spliterator(), false)
        .filter(member -> member.status().equals(status))
        .count();
  }

  /** Asks what is not at hand: how many shards are here, and how long a task waits for a thread. */
  void look() {
    Stopwatch asked = Stopwatch.start();
    system.executionContext().execute(() -> delay.record(asked.elapsed()));
    CompletionStage<ShardRegion.CurrentShardRegionState> state =
        AskPattern.ask(
            ClusterSharding.get(system).shardState(),
            replyTo -> new GetShardRegionState(EntityClient.KEY, replyTo),
            SHARDS_TIMEOUT,
            system.scheduler());
    state.whenComplete((known, late) -> {
      if (known != null) {
        shards = known.getShards().size();
      }
    });
  }

  /** What waits on this node, asked for at each scrape. */
  static final class LoadFigures {

    private LoadFigures() {}

    static void show(MeterRegistry registry, Supplier<NodeLoad> load) {
      show(registry, "colony.slots.taken", load, NodeLoad::atWork);
      show(registry, "colony.slots.waiting", load, NodeLoad::waiting);
      show(registry, "colony.inbox.delivering", load, NodeLoad::delivering);
      show(registry, "colony.actions.waiting", load, NodeLoad::computingWaiting);
      show(registry, "colony.actions.abandoned", load, NodeLoad::abandonedThreads);
    }

    private static void show(
        MeterRegistry registry,
        String name,
        Supplier<NodeLoad> load,
        ToIntFunction<NodeLoad> part) {
      Gauge.builder(name, () -> part.applyAsInt(load.get())).register(registry);
    }
  }
}
