package dev.colony.server.metrics;

import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.admission.AdmissionDecision;
import dev.colony.inference.admission.AdmissionDecision.EvictReason;
import dev.colony.inference.admission.AdmissionDecision.RejectReason;
import dev.colony.inference.admission.AdmissionRequest;
import dev.colony.inference.admission.AdmissionSettings;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.gateway.CacheOrders;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.routing.Replica;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
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

  /** Shows what waits at a gateway. */
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
      EvictionControl how, CacheOrders.Outcome outcome, long promptTokens, long computed) {
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
}
