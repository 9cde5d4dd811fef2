package dev.colony.server.metrics;

import static org.apache.pekko.http.javadsl.server.Directives.complete;
import static org.apache.pekko.http.javadsl.server.Directives.get;
import static org.apache.pekko.http.javadsl.server.Directives.path;

import com.sun.management.OperatingSystemMXBean;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.gateway.AdmissionSettings;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.HttpInferenceGateway.ReplicaStatus;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.AgentListener;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.entity.AgentShards;
import dev.colony.server.http.ApiListener;
import dev.colony.server.metrics.AdmissionFigures.ServerFigures;
import dev.colony.server.metrics.AgentFigures.ClusterFigures;
import dev.colony.server.metrics.AgentFigures.ClusterFigures.LoadFigures;
import dev.colony.server.metrics.BlackboardFigures.JournalFigures;
import dev.colony.server.metrics.ModelFigures.PageFigures;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Route;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All figures of one node. Made before the node's parts, which it listens to; what is not there yet
 * is shown from when it is. Thread-safe.
 *
 * <p>A figure costs an addition where something happens; no label names an agent, a run or a tenant
 * that the settings do not name, so that their number does not grow with the work.
 */
public final class NodeMetrics implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeMetrics.class);

  private final PrometheusMeterRegistry registry = described();
  private final AgentFigures agents = new AgentFigures(registry);
  private final JournalFigures journal = new JournalFigures(registry);
  private final BlackboardFigures blackboard = new BlackboardFigures(registry);
  private final ModelFigures models = new ModelFigures(registry);
  private final AdmissionFigures admission = new AdmissionFigures(registry);
  private final PageFigures pages = new PageFigures(registry);
  private final ServerFigures servers = new ServerFigures(registry);
  private final ApiFigures api = new ApiFigures(registry);
  private final JvmFigures jvm = new JvmFigures(registry);
  private final AtomicReference<InboxStatistics> inbox =
      new AtomicReference<>(new InboxStatistics(0, Optional.empty(), 0));
  private final AtomicBoolean redisAnswers = new AtomicBoolean(true);
  private volatile Supplier<List<ReplicaStatus>> known = List::of;
  private volatile InstantSource clock = () -> Instant.EPOCH;

  public NodeMetrics() {
    Gauge.builder("colony.inbox.messages", () -> inbox.get().messages()).register(registry);
    Gauge.builder("colony.inbox.oldest.age", () -> age(inbox.get().oldest()))
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("colony.inbox.dead.letters", () -> inbox.get().deadLetters()).register(registry);
    Gauge.builder("colony.redis.available", redisAnswers, answers -> answers.get() ? 1 : 0)
        .register(registry);
  }

  private static PrometheusMeterRegistry described() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry
        .config()
        .meterFilter(MeterFilter.deny(id -> JvmFigures.REPLACED.contains(id.getName())))
        .meterFilter(MetricsTable.shipped().help(registry.config().namingConvention()));
    return registry;
  }

  /** Those of traces. */
  public SpanFigures spans() {
    return new SpanFigures(
        registry.counter("colony.spans", "outcome", "sent"),
        registry.counter("colony.spans", "outcome", "dropped"));
  }

  /**
   * What becomes of spans.
   *
   * @param dropped that did not reach the collector, or found the queue full
   */
  public record SpanFigures(Counter sent, Counter dropped) {}

  public AgentListener agents() {
    return agents;
  }

  public StepListener steps() {
    return agents;
  }

  public BlackboardListener blackboard() {
    return blackboard;
  }

  public ApiListener api() {
    return api;
  }

  public InferenceGateway measured(InferenceGateway gateway) {
    return models.measured(gateway);
  }

  public CallObserver calls() {
    return admission.and(pages);
  }

  /** Shows what waits at a gateway, and how the servers stand that it calls. */
  public void follow(HttpInferenceGateway gateway, AdmissionSettings settings) {
    admission.follow(gateway, settings);
    known = gateway::replicaStatus;
  }

  public void follow(RedisConnections redis) {
    redis.onAvailability(redisAnswers::set);
  }

  public void follow(ClusterClock clock) {
    skew("node", () -> clock.skew().node());
    skew("store", () -> clock.skew().store());
  }

  private void skew(String of, Supplier<Duration> off) {
    Gauge.builder("colony.clock.skew", () -> off.get().toMillis() / 1000.0)
        .baseUnit("seconds")
        .tag("of", of)
        .register(registry);
  }

  /** Shows what the page table says of a node's replica, and of locks and faults. */
  public void follow(PageTable table, NodeAddress self, InstantSource time) {
    pages.follow(table, self, time);
  }

  /**
   * Shows a node that has been started, and looks from time to time at what no module reports,
   * until the actor system ends.
   */
  public void follow(
      ActorSystem<?> system,
      Blackboards blackboards,
      Supplier<AgentShards.NodeLoad> load,
      MetricsSettings settings) {
    clock = blackboards.clock();
    blackboard.follow(blackboards);
    JournalExtension.journal(system).listen(journal);
    LoadFigures.show(registry, load);
    ClusterFigures cluster = new ClusterFigures(registry, system);
    system
        .scheduler()
        .scheduleWithFixedDelay(
            settings.sampleInterval(),
            settings.sampleInterval(),
            () -> sample(cluster, blackboards),
            system.executionContext());
  }

  /**
   * Whatever fails: the scheduler ends a task that throws, and figures would stand still unseen.
   */
  private void sample(ClusterFigures cluster, Blackboards blackboards) {
    try {
      cluster.look();
      look(blackboards);
    } catch (RuntimeException passing) {
      LOG.debug("the sampled figures stay as they were, this time", passing);
    }
  }

  private void look(Blackboards blackboards) {
    blackboards
        .inbox()
        .statistics()
        .whenComplete((statistics, failure) -> {
          if (failure == null) {
            inbox.set(statistics);
          }
        });
  }

  /**
   * In seconds; 0 where there is nothing, or where it is younger than processes differ, and before
   * the blackboard is followed.
   */
  private double age(Optional<Instant> since) {
    return since
        .map(at -> Math.max(0, Duration.between(at, clock.instant()).toMillis() / 1000.0))
        .orElse(0.0);
  }

  /** Serves {@link #text} at {@code /metrics}. */
  public Route route() {
    return MetricsRoute.of(this::text);
  }

  /** Everything, in the text format of Prometheus. */
  public String text() {
    servers.show(known.get());
    return registry.scrape();
  }

  @Override
  public void close() {
    jvm.close();
    registry.close();
  }

  /**
   * The process and its JVM, as Micrometer shows them but for two whose names Prometheus forbids:
   * one counts nanoseconds, the other ends like a part of a histogram.
   */
  private static final class JvmFigures implements AutoCloseable {

    /** Listens to the garbage collector until it is closed. */
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Micrometer's names of those two, which {@link JvmFigures} shows under others. */
    static final Set<String> REPLACED = Set.of("process.cpu.time", "system.cpu.count");

    JvmFigures(MeterRegistry registry) {
      List<MeterBinder> binders =
          List.of(
              collections,
              new JvmMemoryMetrics(),
              new JvmThreadMetrics(),
              new ProcessorMetrics(),
              new FileDescriptorMetrics(),
              new UptimeMetrics());
      binders.forEach(binder -> binder.bindTo(registry));
      if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
        FunctionCounter.builder("process.cpu", system, one -> one.getProcessCpuTime() / 1e9)
            .baseUnit("seconds")
            .register(registry);
      }
      Runtime runtime = Runtime.getRuntime();
      Gauge.builder("system.cpus", runtime, Runtime::availableProcessors).register(registry);
    }

    @Override
    public void close() {
      collections.close();
    }
  }

  private static final class MetricsRoute {

    private static final ContentType TEXT =
        ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8");

    private MetricsRoute() {}

    static Route of(Supplier<String> text) {
      return path(
          "metrics",
          () ->
              get(() ->
                  complete(
                      StatusCodes.OK,
                      HttpEntities.create(TEXT, text.get().getBytes(StandardCharsets.UTF_8)))));
    }
  }

  /**
   * How durations are kept: counted in buckets that are the same on all nodes, so that they add.
   */
  static final class LatencyBuckets {

    private static final Duration[] BUCKETS =
        LongStream.of(
                1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private LatencyBuckets() {}

    /**
     * A timer, made if there is none.
     *
     * @param labels names and values in turn
     */
    static Timer of(MeterRegistry registry, String name, String... labels) {
      return Timer.builder(name).tags(labels).serviceLevelObjectives(BUCKETS).register(registry);
    }
  }

  /**
   * How figures are taken; the keys are described in {@code reference.conf}.
   *
   * @param sampleInterval how often to look at what no module reports
   */
  @Section("colony.metrics")
  public record MetricsSettings(@Range(min = "1s", max = "10m") Duration sampleInterval) {}
}
