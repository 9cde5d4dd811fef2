package dev.colony.inference.gateway;

import dev.colony.inference.gateway.AdmissionDecision.Admitted;
import dev.colony.inference.gateway.AdmissionDecision.EvictReason;
import dev.colony.inference.gateway.AdmissionDecision.Evicted;
import dev.colony.inference.gateway.AdmissionDecision.RejectReason;
import dev.colony.inference.gateway.AdmissionDecision.Rejected;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.AdmissionQueue.Bounds;
import dev.colony.inference.gateway.TenantQueue.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The specification of {@link AdmissionQueue}: lists, searched in full at every step. */
final class NaiveAdmission {

  record Call(int id, AdmissionRequest request, long arrived, long number) {}

  private final AdmissionSettings settings;
  private final Bounds bounds;
  private final List<Call> waiting = new ArrayList<>();
  private final Set<Integer> delayed = new HashSet<>();
  private final Map<Integer, Call> running = new LinkedHashMap<>();
  private final Map<Integer, Long> since = new HashMap<>();
  private final Map<String, Double> starts = new HashMap<>();
  private final Pace pace = new Pace();
  private double virtualTime;
  private long numbers;

  NaiveAdmission(AdmissionSettings settings, Bounds bounds) {
    this.settings = settings;
    this.bounds = bounds;
  }

  /** Who goes first within a tenant. */
  private Comparator<Call> order() {
    return Comparator.<Call>comparingLong(
            call -> call.arrived() - call.request().priority() * bounds.aging().toNanos())
        .thenComparingLong(Call::number);
  }

  private List<Call> of(String tenant) {
    return waiting.stream()
        .filter(call -> call.request().tenant().equals(tenant))
        .sorted(order())
        .toList();
  }

  private List<Call> eligible(String tenant) {
    return of(tenant).stream().filter(call -> !delayed.contains(call.id())).toList();
  }

  private double load(String tenant, int more) {
    return (double) (of(tenant).size() + more) / settings.of(tenant).weight();
  }

  private double start(String tenant) {
    return Math.max(virtualTime, starts.getOrDefault(tenant, 0.0));
  }

  private boolean ready(String tenant) {
    long runs =
        running.values().stream().filter(call -> call.request().tenant().equals(tenant)).count();
    return !eligible(tenant).isEmpty() && runs < settings.of(tenant).maxRunning();
  }

  private List<String> tenants() {
    return waiting.stream().map(call -> call.request().tenant()).distinct().sorted().toList();
  }

  private long turn(String tenant, long cost) {
    double own = settings.of(tenant).weight();
    double all =
        own
            + tenants().stream()
                .filter(other -> !other.equals(tenant) && ready(other))
                .mapToInt(other -> settings.of(other).weight())
                .sum();
    return pace.nanos(cost, running.size(), own / all);
  }

  private long cost(String tenant, int priority) {
    return of(tenant).stream()
        .map(Call::request)
        .filter(request -> request.priority() >= priority)
        .mapToLong(AdmissionRequest::costTokens)
        .sum();
  }

  private Duration retryAfter(String tenant) {
    long half = turn(tenant, cost(tenant, 0) / 2);
    return Duration.ofNanos(
        Math.clamp(half, bounds.retryAfterLeast().toNanos(), bounds.retryAfterMost().toNanos()));
  }

  List<AdmissionDecision<Integer>> offer(int id, AdmissionRequest request, long now) {
    String tenant = request.tenant();
    if (now + turn(tenant, cost(tenant, request.priority())) > request.latestStartNanos()) {
      return List.of(new Rejected<>(id, RejectReason.TOO_LATE, retryAfter(tenant)));
    }
    return offer(new Call(id, request, now, numbers++), now);
  }

  List<AdmissionDecision<Integer>> delay(int id, AdmissionRequest request, long arrived, long now) {
    if (now > request.latestStartNanos()) {
      Duration after = retryAfter(request.tenant());
      return List.of(new Rejected<>(id, RejectReason.TOO_LATE, after));
    }
    delayed.add(id);
    return offer(new Call(id, request, arrived, numbers++), now);
  }

  void resume(int id) {
    waiting.stream()
        .filter(call -> call.id() == id)
        .findFirst()
        .ifPresent(call -> {
          boolean was = ready(call.request().tenant());
          delayed.remove(id);
          begins(call.request().tenant(), was);
        });
  }

  private List<AdmissionDecision<Integer>> offer(Call newcomer, long now) {
    int id = newcomer.id();
    String tenant = newcomer.request().tenant();
    boolean tenantFull = of(tenant).size() >= settings.of(tenant).maxWaiting();
    if (!tenantFull && waiting.size() < settings.maxWaiting()) {
      enter(newcomer);
      return List.of();
    }
    Optional<String> most =
        tenants().stream()
            .max(
                Comparator.<String>comparingDouble(one -> load(one, 0))
                    .thenComparing(Comparator.naturalOrder()))
            .filter(one -> !tenantFull && !one.equals(tenant))
            .filter(one -> load(tenant, 1) <= load(one, -1));
    String from = most.orElse(tenant);
    List<Call> others = of(from);
    boolean goes =
        most.isPresent() || !others.isEmpty() && order().compare(newcomer, others.getLast()) < 0;
    if (!goes) {
      RejectReason reason = tenantFull ? RejectReason.TENANT_FULL : RejectReason.FULL;
      return List.of(new Rejected<>(id, reason, retryAfter(tenant)));
    }
    EvictReason reason = most.isPresent() ? EvictReason.FAIR_SHARE : EvictReason.HIGHER_PRIORITY;
    Evicted<Integer> evicted = evicted(others.getLast(), reason, now);
    waiting.remove(others.getLast());
    enter(newcomer);
    return List.of(evicted);
  }

  private void enter(Call call) {
    String tenant = call.request().tenant();
    boolean was = ready(tenant);
    waiting.add(call);
    starts.putIfAbsent(tenant, virtualTime);
    begins(tenant, was);
  }

  private void begins(String tenant, boolean was) {
    if (!was && ready(tenant)) {
      starts.put(tenant, start(tenant));
    }
  }

  private Evicted<Integer> evicted(Call call, EvictReason reason, long now) {
    Duration waited = Duration.ofNanos(now - call.arrived());
    return new Evicted<>(call.id(), reason, waited, retryAfter(call.request().tenant()));
  }

  List<AdmissionDecision<Integer>> dispatch(long now, Predicate<Integer> begins) {
    List<AdmissionDecision<Integer>> admitted = new ArrayList<>();
    Optional<Call> next = next(begins);
    while (next.isPresent()) {
      Call call = next.get();
      String tenant = call.request().tenant();
      virtualTime = Math.max(virtualTime, starts.get(tenant));
      starts.merge(
          tenant, (double) call.request().costTokens() / settings.of(tenant).weight(), Double::sum);
      waiting.remove(call);
      running.put(call.id(), call);
      since.put(call.id(), now);
      admitted.add(new Admitted<>(call.id(), Duration.ofNanos(now - call.arrived())));
      next = next(begins);
    }
    return admitted;
  }

  private Optional<Call> next(Predicate<Integer> begins) {
    List<String> order =
        tenants().stream()
            .filter(this::ready)
            .sorted(
                Comparator.<String>comparingDouble(starts::get)
                    .thenComparing(Comparator.naturalOrder()))
            .toList();
    List<Call> tried = new ArrayList<>();
    for (int depth = 0; depth < waiting.size(); depth++) {
      for (String tenant : order) {
        if (depth < eligible(tenant).size()) {
          tried.add(eligible(tenant).get(depth));
        }
      }
    }
    return tried.stream()
        .limit(bounds.lookAhead())
        .filter(call -> begins.test(call.id()))
        .findFirst();
  }

  List<AdmissionDecision<Integer>> expire(long now) {
    List<Call> late =
        waiting.stream()
            .filter(call -> call.request().latestStartNanos() < now)
            .sorted(
                Comparator.<Call>comparingLong(call -> call.request().latestStartNanos())
                    .thenComparingLong(Call::number))
            .toList();
    List<AdmissionDecision<Integer>> evicted = new ArrayList<>();
    for (Call call : late) {
      evicted.add(evicted(call, EvictReason.DEADLINE, now));
      waiting.remove(call);
    }
    return evicted;
  }

  boolean cancel(int id) {
    return waiting.removeIf(call -> call.id() == id);
  }

  void ended(int id, long took, long now) {
    Call call = running.get(id);
    String tenant = call.request().tenant();
    pace.ended(took, now - since.remove(id));
    double more = (double) (took - call.request().costTokens()) / settings.of(tenant).weight();
    boolean was = ready(tenant);
    running.remove(id);
    starts.put(tenant, Math.max(virtualTime, starts.get(tenant) + more));
    if (!was && ready(tenant)) {
      starts.put(tenant, start(tenant));
    }
    if (waiting.isEmpty() && running.isEmpty()) {
      starts.clear();
      virtualTime = 0;
    }
  }

  int waiting() {
    return waiting.size();
  }

  List<Integer> runningCalls() {
    return List.copyOf(running.keySet());
  }
}
