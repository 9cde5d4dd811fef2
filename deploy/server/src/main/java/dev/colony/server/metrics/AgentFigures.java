package dev.colony.server.metrics;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Struggle;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.node.AgentListener;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.entity.AgentShards.NodeLoad;
import dev.colony.node.entity.EntityClient;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import dev.colony.vcm.schedule.lease.LeaseCounts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.typed.GetShardRegionState;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.typed.Cluster;

/** Agents that are in memory on this node, their runs and their steps. Thread-safe. */
final class AgentFigures implements AgentListener, StepListener {

  private final Map<AgentState, LongAdder> here = new EnumMap<>(AgentState.class);
  private final Map<AgentRun.Status, Counter> asked = new EnumMap<>(AgentRun.Status.class);
  private final Map<AgentRun.Status, Counter> woken = new EnumMap<>(AgentRun.Status.class);
  private final Timer steps;
  private final Timer recoveries;
  private final Counter accepted;
  private final Counter resumed;
  private final Counter pagesLost;
  private final Counter askedAgain;
  private volatile LeaseCounts leases = new LeaseCounts(0, 0, 0, 0, 0, 0, 0, false);
  private final Map<Struggle.Kind, Counter> struggles = new EnumMap<>(Struggle.Kind.class);
  private final Map<Remains, Counter> removed = new EnumMap<>(Remains.class);

  AgentFigures(MeterRegistry registry) {
    for (AgentState state : AgentState.values()) {
      LongAdder agents = new LongAdder();
      here.put(state, agents);
      Gauge.builder("colony.agents", agents, LongAdder::sum)
          .tag("state", name(state))
          .register(registry);
    }
    for (AgentRun.Status status : AgentRun.Status.values()) {
      asked.put(status, ended(registry, "request", status));
      woken.put(status, ended(registry, "events", status));
    }
    for (Struggle.Kind kind : Struggle.Kind.values()) {
      struggles.put(kind, registry.counter("colony.runs.struggles", "kind", name(kind)));
    }
    this.steps = LatencyBuckets.of(registry, "colony.steps");
    this.recoveries = LatencyBuckets.of(registry, "colony.agent.recoveries");
    this.accepted = registry.counter("colony.runs.accepted");
    this.resumed = registry.counter("colony.agents.resumed");
    this.pagesLost = registry.counter("colony.agents.pages.lost");
    this.askedAgain = registry.counter("colony.model.calls.repeated");
    gauge(registry, "colony.leases", LeaseCounts::leases);
    gauge(registry, "colony.leases.held", LeaseCounts::held);
    gauge(registry, "colony.leases.held.oldest.seconds", LeaseCounts::oldestHoldSeconds);
    counter(registry, "colony.leases.granted", LeaseCounts::granted);
    counter(registry, "colony.leases.paged.out", LeaseCounts::pagedOut);
    counter(registry, "colony.leases.forced", LeaseCounts::forcedLoads);
    counter(registry, "colony.leases.expired", LeaseCounts::expired);
    for (Remains what : Remains.values()) {
      removed.put(what, registry.counter("colony.retention.removed", "what", name(what)));
    }
  }

  private void gauge(MeterRegistry registry, String name, ToDoubleFunction<LeaseCounts> value) {
    Gauge.builder(name, this, figures -> value.applyAsDouble(figures.leases)).register(registry);
  }

  private void counter(MeterRegistry registry, String name, ToDoubleFunction<LeaseCounts> value) {
    FunctionCounter.builder(name, this, figures -> value.applyAsDouble(figures.leases))
        .register(registry);
  }

  private static Counter ended(MeterRegistry registry, String origin, AgentRun.Status status) {
    return registry.counter("colony.runs.ended", "origin", origin, "status", name(status));
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void stepCompleted(AgentId agent, Duration took) {
    steps.record(took);
  }

  @Override
  public void resumed(AgentId agent) {
    resumed.increment();
  }

  @Override
  public void recovered(Duration took) {
    recoveries.record(took);
  }

  @Override
  public void arrived(AgentState state) {
    here.get(state).increment();
  }

  @Override
  public void moved(AgentState from, AgentState to) {
    here.get(from).decrement();
    here.get(to).increment();
  }

  @Override
  public void left(AgentState state) {
    here.get(state).decrement();
  }

  @Override
  public void runAccepted() {
    accepted.increment();
  }

  @Override
  public void struggled(Struggle.Kind kind) {
    struggles.get(kind).increment();
  }

  @Override
  public void runEnded(AgentRun run, boolean byEvents) {
    (byEvents ? woken : asked).get(run.status()).increment();
  }

  @Override
  public void removed(Remains what, int count) {
    removed.get(what).increment(count);
  }

  @Override
  public void leases(LeaseCounts counts) {
    leases = counts;
  }

  @Override
  public void modelAskedAgain() {
    askedAgain.increment();
  }

  @Override
  public void pagesLost() {
    pagesLost.increment();
  }

  /** The cluster as this node sees it, and how busy its actors' threads are. Thread-safe. */
  static final class ClusterFigures {

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

    /**
     * Asks what is not at hand: how many shards are here, and how long a task waits for a thread.
     */
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
}
