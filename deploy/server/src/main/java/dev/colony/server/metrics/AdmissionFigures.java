package dev.colony.server.metrics;

import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.gateway.AdmissionDecision;
import dev.colony.inference.gateway.AdmissionDecision.EvictReason;
import dev.colony.inference.gateway.AdmissionDecision.RejectReason;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.AdmissionSettings;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.CallObserver.CacheOutcome;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.HttpInferenceGateway.ReplicaStatus;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.Replica;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import dev.colony.vcm.schedule.EvictionControl;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * What waits at the gateway, what becomes of it, which models stand in for others, what it spends,
 * and what it tells caches. Tenants that the settings of admission name are shown by name, all
 * others together, so that their number does not grow with the tenants. Thread-safe.
 */
final class AdmissionFigures implements CallObserver {

  private static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Counter admitted;
  private final Counter unavailable;
  private final Map<RejectReason, Counter> rejected = new EnumMap<>(RejectReason.class);
  private final Map<EvictReason, Counter> evicted = new EnumMap<>(EvictReason.class);
  private final Timer waits;
  private final Counter tokens;
  private final Counter cost;
  private final Counter completions;
  private final Counter touched;
  private final Counter touchComputed;
  private final AtomicReference<HttpInferenceGateway> gateway = new AtomicReference<>();
  private volatile Set<String> named = Set.of();

  AdmissionFigures(MeterRegistry registry) {
    this.registry = registry;
    this.admitted = counter("admitted", "");
    this.unavailable = counter("unavailable", "");
    for (RejectReason reason : RejectReason.values()) {
      rejected.put(reason, counter("rejected", reason.name()));
    }
    for (EvictReason reason : EvictReason.values()) {
      evicted.put(reason, counter("evicted", reason.name()));
    }
    this.waits = LatencyBuckets.of(registry, "colony.model.admission.wait");
    this.tokens = registry.counter("colony.model.spent.tokens");
    this.cost = registry.counter("colony.model.spent.cost");
    this.completions = registry.counter("colony.model.spent.completions");
    this.touched = registry.counter("colony.model.cache.touch.tokens", "kind", "prompt");
    this.touchComputed = registry.counter("colony.model.cache.touch.tokens", "kind", "computed");
    waiting(OTHER, one -> one.waiting() - named.stream().mapToInt(one::waiting).sum());
    Gauge.builder("colony.model.calls.delayed", () -> shown(HttpInferenceGateway::delayed))
        .register(registry);
  }

  private Counter counter(String outcome, String reason) {
    return registry.counter(
        "colony.model.admissions", "outcome", outcome, "reason", reason.toLowerCase(Locale.ROOT));
  }

  void follow(HttpInferenceGateway shown, AdmissionSettings settings) {
    named = settings.tenants().keySet();
    gateway.set(shown);
    named.forEach(tenant -> waiting(tenant, one -> one.waiting(tenant)));
  }

  private void waiting(String tenant, ToIntFunction<HttpInferenceGateway> calls) {
    Gauge.builder("colony.model.calls.waiting", () -> shown(calls))
        .tag("tenant", tenant)
        .register(registry);
  }

  private int shown(ToIntFunction<HttpInferenceGateway> calls) {
    HttpInferenceGateway shown = gateway.get();
    return shown == null ? 0 : calls.applyAsInt(shown);
  }

  @Override
  public void answered(
      Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {}

  @Override
  public void decided(AdmissionRequest request, AdmissionDecision<?> decision) {
    switch (decision) {
      case AdmissionDecision.Admitted<?> begun -> {
        admitted.increment();
        waits.record(begun.waited());
      }
      case AdmissionDecision.Rejected<?> refused -> rejected.get(refused.reason()).increment();
      case AdmissionDecision.Evicted<?> sent -> evicted.get(sent.reason()).increment();
      case AdmissionDecision.Unavailable<?> none -> unavailable.increment();
    }
  }

  @Override
  public void fellBack(String from, String to, Optional<Kind> why) {
    registry
        .counter(
            "colony.model.fallbacks",
            "from",
            from,
            "to",
            to,
            "reason",
            why.map(kind -> kind.name().toLowerCase(Locale.ROOT)).orElse("unavailable"))
        .increment();
  }

  @Override
  public void cacheTold(
      EvictionControl how, CacheOutcome outcome, long promptTokens, long computed) {
    registry
        .counter(
            "colony.model.cache.orders",
            "kind",
            how == EvictionControl.TOUCHES ? "touch" : "hint",
            "outcome",
            outcome.name().toLowerCase(Locale.ROOT))
        .increment();
    touched.increment(promptTokens);
    touchComputed.increment(computed);
  }

  @Override
  public void spent(InferenceRequest request, Spend spend) {
    completions.increment();
    tokens.increment(spend.tokens());
    cost.increment(spend.cost().doubleValue());
  }

  /**
   * How each model server stands. Shown are those that are known when they are shown and no others,
   * so that the figures do not grow with servers that come and go. Thread-safe.
   */
  static final class ServerFigures {

    private final MultiGauge states;
    private final List<Figure> figures = new ArrayList<>();

    /** One that has a value for those servers of which it is known. */
    private record Figure(MultiGauge gauge, Function<ReplicaStatus, List<Double>> value) {}

    ServerFigures(MeterRegistry registry) {
      states = MultiGauge.builder("colony.model.server.state").register(registry);
      figure(registry, "calls", "", ReplicaStatus::calls);
      figure(registry, "backlog", "seconds", ReplicaStatus::backlogSeconds);
      figure(registry, "prefill", "seconds", ReplicaStatus::prefillSeconds);
      figure(registry, "events", "", server -> server.events() ? 1 : 0);
      told(registry, "running", EngineLoad::running);
      told(registry, "waiting", EngineLoad::waiting);
      told(registry, "cache.usage", EngineLoad::cacheUsage);
    }

    private void figure(
        MeterRegistry registry, String name, String unit, ToDoubleFunction<ReplicaStatus> value) {
      MultiGauge.Builder gauge = MultiGauge.builder("colony.model.server." + name);
      figures.add(
          new Figure(
              (unit.isEmpty() ? gauge : gauge.baseUnit(unit)).register(registry),
              server -> List.of(value.applyAsDouble(server))));
    }

    /** What servers tell of their load. */
    private void told(MeterRegistry registry, String name, ToDoubleFunction<EngineLoad> value) {
      figures.add(
          new Figure(
              MultiGauge.builder("colony.model.server." + name).register(registry),
              server -> server.load().stream().map(value::applyAsDouble).toList()));
    }

    /** Shows these servers, and those of before no more. */
    synchronized void show(List<ReplicaStatus> servers) {
      states.register(
          servers.stream()
              .<Row<?>>map(one -> Row.of(Tags.of("replica", one.id(), "state", one.state()), 1))
              .toList(),
          true);
      for (Figure figure : figures) {
        List<Row<?>> rows = new ArrayList<>();
        for (ReplicaStatus one : servers) {
          figure.value().apply(one).forEach(v -> rows.add(Row.of(Tags.of("replica", one.id()), v)));
        }
        figure.gauge().register(rows, true);
      }
    }
  }
}
