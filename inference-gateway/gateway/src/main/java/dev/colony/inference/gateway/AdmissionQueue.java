package dev.colony.inference.gateway;

import dev.colony.inference.gateway.AdmissionDecision.Admitted;
import dev.colony.inference.gateway.AdmissionDecision.EvictReason;
import dev.colony.inference.gateway.AdmissionDecision.Evicted;
import dev.colony.inference.gateway.AdmissionDecision.RejectReason;
import dev.colony.inference.gateway.AdmissionDecision.Rejected;
import dev.colony.inference.gateway.AdmissionDecision.Unavailable;
import dev.colony.inference.gateway.TenantQueue.Pace;
import dev.colony.inference.gateway.TenantQueue.Waiting;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The calls of a node that wait for a slot of a replica, and those that have one.
 *
 * <p>Between tenants the order is that of start-time fair queueing: each tenant has a virtual time,
 * which a call of its moves on by the call's cost over the tenant's weight, and the tenant that is
 * furthest behind goes next. A tenant that had nothing to do begins at the virtual time of the call
 * that was admitted last: it is owed nothing for its absence, and waits for no more than what runs.
 * What a call took in the end takes the place of its estimated cost, so that few large calls weigh
 * as much as many small ones. Within a tenant a call goes before those that came up to ten seconds
 * earlier with the next lower priority.
 *
 * <p>Whether a call can begin is asked of the caller, since that depends on which replica has a
 * slot; a call that cannot is passed over for another and keeps its place, and so does one that is
 * carried out once more. Where as many calls wait as may, a newcomer takes the place of the last
 * call of the tenant that has most waiting for its weight, if its own has fewer; or of its own
 * tenant's last one, if it would go before that.
 *
 * <p>Pure and not thread-safe. Times are nanoseconds from any one origin, and do not go back. Each
 * operation costs a logarithm of the calls and tenants that there are; a dispatch that of each call
 * that it admits, and of the 32 calls that it may pass over.
 *
 * @param <C> names a call; equal ones are the same call
 */
public final class AdmissionQueue<C> {

  private record Running<C>(TenantQueue<C> tenant, long costTokens, long sinceNanos) {}

  /**
   * What no operator sets.
   *
   * @param aging within a tenant a call goes before those that came up to so much earlier with the
   *     next lower priority
   * @param lookAhead how many calls that cannot begin are passed over for one that can
   * @param retryAfterLeast of what is told as the time until half of the tenant's calls have begun
   */
  record Bounds(Duration aging, int lookAhead, Duration retryAfterLeast, Duration retryAfterMost) {

    static final Bounds USUAL =
        new Bounds(Duration.ofSeconds(10), 32, Duration.ofSeconds(1), Duration.ofMinutes(1));
  }

  private final AdmissionSettings settings;
  private final Bounds bounds;
  private final Map<String, TenantQueue<C>> tenants = new HashMap<>();
  private final Map<C, Waiting<C>> waiting = new HashMap<>();
  private final Map<C, Running<C>> running = new HashMap<>();
  private final Pace pace = new Pace();
  private final TreeSet<Waiting<C>> byDeadline =
      new TreeSet<>(
          Comparator.<Waiting<C>>comparingLong(one -> one.request().latestStartNanos())
              .thenComparingLong(Waiting::number));

  /** Tenants of which a call may be admitted, the next one first. */
  private final TreeSet<TenantQueue<C>> ready = by(TenantQueue::start);

  /** Tenants of which calls wait, the one with most for its weight last. */
  private final TreeSet<TenantQueue<C>> loaded = by(TenantQueue::load);

  /** Tenants without a call, known for as long as their virtual time is ahead. */
  private final TreeSet<TenantQueue<C>> idle = by(TenantQueue::start);

  private double virtualTime;
  private long weights;
  private long numbers;

  private static <C> TreeSet<TenantQueue<C>> by(ToDoubleFunction<TenantQueue<C>> first) {
    return new TreeSet<>(Comparator.comparingDouble(first).thenComparing(TenantQueue::name));
  }

  public AdmissionQueue(AdmissionSettings settings) {
    this(settings, Bounds.USUAL);
  }

  AdmissionQueue(AdmissionSettings settings, Bounds bounds) {
    this.settings = settings;
    this.bounds = bounds;
  }

  /** Calls that wait. */
  public int waiting() {
    return waiting.size();
  }

  /** Those of them that are of a tenant. */
  public int waiting(String tenant) {
    TenantQueue<C> known = tenants.get(tenant);
    return known == null ? 0 : known.size();
  }

  /** Those of them that are delayed. */
  public int delayed() {
    return (int)
        waiting.values().stream()
            .filter(call -> tenants.get(call.request().tenant()).delayed(call))
            .count();
  }

  /** Calls that were admitted and have not ended. */
  public int running() {
    return running.size();
  }

  /** Tenants of which something is known. */
  int tenants() {
    return tenants.size();
  }

  /**
   * A call comes.
   *
   * @return what is decided at once: that it is rejected, or that another is evicted for it;
   *     nothing where it waits
   * @throws IllegalStateException if the call is here already
   */
  public List<AdmissionDecision<C>> offer(C call, AdmissionRequest request, long nowNanos) {
    TenantQueue<C> tenant = tenant(request.tenant());
    long ready = nowNanos + turn(tenant, tenant.costBefore(request.priority()));
    return ready > request.latestStartNanos()
        ? List.of(rejected(call, tenant, RejectReason.TOO_LATE))
        : enter(call, request, nowNanos, nowNanos, false);
  }

  /**
   * A call that was admitted and has ended comes in again, to be carried out once more: it waits
   * where it would stand had it waited since it came first, and counts as one that waits, but is
   * not admitted before it is resumed.
   *
   * @param arrivedNanos when it came first
   * @return as {@link #offer}
   * @throws IllegalStateException if the call is here already
   */
  public List<AdmissionDecision<C>> delay(
      C call, AdmissionRequest request, long arrivedNanos, long nowNanos) {
    return enter(call, request, arrivedNanos, nowNanos, true);
  }

  /** A call that was delayed may be admitted; nothing where it does not wait any more. */
  public void resume(C call) {
    Waiting<C> found = waiting.get(call);
    if (found != null) {
      TenantQueue<C> tenant = tenants.get(found.request().tenant());
      change(tenant, () -> tenant.resume(found));
    }
  }

  private List<AdmissionDecision<C>> enter(
      C call, AdmissionRequest request, long arrivedNanos, long nowNanos, boolean delayed) {
    if (waiting.containsKey(call) || running.containsKey(call)) {
      throw new IllegalStateException("call " + call + " is here already");
    }
    TenantQueue<C> tenant = tenant(request.tenant());
    if (nowNanos > request.latestStartNanos()) {
      return List.of(rejected(call, tenant, RejectReason.TOO_LATE));
    }
    long lead = request.priority() * bounds.aging().toNanos();
    Waiting<C> newcomer =
        new Waiting<>(call, request, arrivedNanos, arrivedNanos - lead, numbers++);
    Optional<RejectReason> full =
        tenant.size() >= tenant.share().maxWaiting()
            ? Optional.of(RejectReason.TENANT_FULL)
            : waiting.size() >= settings.maxWaiting()
                ? Optional.of(RejectReason.FULL)
                : Optional.empty();
    if (full.isEmpty()) {
      add(newcomer, tenant, delayed);
      return List.of();
    }
    Optional<TenantQueue<C>> other =
        full.get() == RejectReason.FULL ? withMore(tenant) : Optional.empty();
    if (other.isEmpty() && !tenant.precedesLast(newcomer)) {
      return List.of(rejected(call, tenant, full.get()));
    }
    TenantQueue<C> from = other.orElse(tenant);
    Waiting<C> last = from.last();
    EvictReason reason = other.isPresent() ? EvictReason.FAIR_SHARE : EvictReason.HIGHER_PRIORITY;
    Evicted<C> evicted = evicted(last, from, reason, nowNanos);
    remove(last);
    add(newcomer, tenant, delayed);
    return List.of(evicted);
  }

  /** The tenant with most calls for its weight, if it has more than another with one more. */
  private Optional<TenantQueue<C>> withMore(TenantQueue<C> tenant) {
    if (loaded.isEmpty()) {
      return Optional.empty();
    }
    TenantQueue<C> most = loaded.last();
    boolean fewer =
        (tenant.size() + 1.0) / tenant.share().weight()
            <= (most.size() - 1.0) / most.share().weight();
    return Optional.of(most).filter(one -> one != tenant && fewer);
  }

  /**
   * Admits calls for as long as one can begin.
   *
   * @param begins takes a slot for a call, or says that there is none for it
   * @return those that were admitted, in their order
   */
  public List<AdmissionDecision<C>> dispatch(long nowNanos, Predicate<? super C> begins) {
    List<AdmissionDecision<C>> admitted = new ArrayList<>();
    for (Optional<Waiting<C>> next = next(begins); next.isPresent(); next = next(begins)) {
      Waiting<C> call = next.get();
      TenantQueue<C> tenant = tenants.get(call.request().tenant());
      long cost = call.request().costTokens();
      // Before the tenant's own time moves on: who comes later begins where this call does.
      virtualTime = Math.max(virtualTime, tenant.start());
      forget(call);
      change(
          tenant,
          () -> {
            tenant.remove(call);
            tenant.begin(cost);
          });
      running.put(call.call(), new Running<>(tenant, cost, nowNanos));
      admitted.add(new Admitted<>(call.call(), waited(call, nowNanos)));
    }
    return admitted;
  }

  /** The first calls of all tenants, then their second ones, and so on. */
  private Optional<Waiting<C>> next(Predicate<? super C> begins) {
    Iterator<TenantQueue<C>> firsts = ready.iterator();
    Deque<Iterator<Waiting<C>>> further = new ArrayDeque<>();
    for (int tried = 0; tried < bounds.lookAhead(); tried++) {
      Iterator<Waiting<C>> calls = firsts.hasNext() ? firsts.next().calls() : further.poll();
      if (calls == null) {
        return Optional.empty();
      }
      Waiting<C> call = calls.next();
      if (begins.test(call.call())) {
        return Optional.of(call);
      }
      if (calls.hasNext()) {
        further.add(calls);
      }
    }
    return Optional.empty();
  }

  /** Evicts the calls that are too late to begin. */
  public List<AdmissionDecision<C>> expire(long nowNanos) {
    List<AdmissionDecision<C>> late = new ArrayList<>();
    while (!byDeadline.isEmpty() && byDeadline.first().request().latestStartNanos() < nowNanos) {
      Waiting<C> call = byDeadline.first();
      TenantQueue<C> tenant = tenants.get(call.request().tenant());
      late.add(evicted(call, tenant, EvictReason.DEADLINE, nowNanos));
      remove(call);
    }
    return late;
  }

  /**
   * Sends all calls away that wait and are not delayed, in the order of their deadlines: no replica
   * lives.
   */
  public List<AdmissionDecision<C>> unavailable(long nowNanos) {
    List<Waiting<C>> all =
        byDeadline.stream()
            .filter(call -> !tenants.get(call.request().tenant()).delayed(call))
            .toList();
    all.forEach(this::remove);
    return all.stream()
        .<AdmissionDecision<C>>map(call -> new Unavailable<>(call.call(), waited(call, nowNanos)))
        .toList();
  }

  /** Takes a call back that waits; false if it does not. */
  public boolean cancel(C call) {
    Waiting<C> found = waiting.get(call);
    if (found != null) {
      remove(found);
    }
    return found != null;
  }

  /**
   * An admitted call has ended, however.
   *
   * @param tookTokens of prompt and reply; 0 where it reached no model
   */
  public void ended(C call, long tookTokens, long nowNanos) {
    Running<C> ended = running.remove(call);
    if (ended == null) {
      throw new IllegalStateException("call " + call + " does not run");
    }
    pace.ended(tookTokens, nowNanos - ended.sinceNanos());
    change(ended.tenant(), () -> ended.tenant().end(tookTokens - ended.costTokens(), virtualTime));
    if (running.isEmpty() && waiting.isEmpty()) {
      tenants.clear();
      idle.clear();
      virtualTime = 0;
    }
  }

  private TenantQueue<C> tenant(String name) {
    return tenants.computeIfAbsent(
        name, any -> new TenantQueue<>(name, settings.of(name), virtualTime));
  }

  private void add(Waiting<C> call, TenantQueue<C> tenant, boolean delayed) {
    waiting.put(call.call(), call);
    byDeadline.add(call);
    tenants.putIfAbsent(tenant.name(), tenant);
    change(tenant, () -> tenant.add(call, delayed));
  }

  private void remove(Waiting<C> call) {
    forget(call);
    TenantQueue<C> tenant = tenants.get(call.request().tenant());
    change(tenant, () -> tenant.remove(call));
  }

  private void forget(Waiting<C> call) {
    waiting.remove(call.call());
    byDeadline.remove(call);
  }

  /** What a tenant's places go by may change only while it has none. */
  private void change(TenantQueue<C> tenant, Runnable change) {
    boolean was = ready.remove(tenant);
    loaded.remove(tenant);
    idle.remove(tenant);
    weights -= was ? tenant.share().weight() : 0;
    change.run();
    if (tenant.ready()) {
      if (!was) {
        tenant.startsAt(virtualTime);
      }
      ready.add(tenant);
      weights += tenant.share().weight();
    }
    if (tenant.size() > 0) {
      loaded.add(tenant);
    } else if (tenant.running() == 0) {
      idle.add(tenant);
    }
    while (!idle.isEmpty() && idle.first().start() <= virtualTime) {
      tenants.remove(idle.pollFirst().name());
    }
  }

  /** When the turn of a tenant's call comes that has so much before it, in nanoseconds from now. */
  private long turn(TenantQueue<C> tenant, long costBefore) {
    long own = tenant.share().weight();
    long all = tenant.ready() ? weights : weights + own;
    return pace.nanos(costBefore, running.size(), (double) own / all);
  }

  private Rejected<C> rejected(C call, TenantQueue<C> tenant, RejectReason reason) {
    Rejected<C> rejected = new Rejected<>(call, reason, retryAfter(tenant));
    if (tenant.size() == 0 && tenant.running() == 0 && !idle.contains(tenant)) {
      tenants.remove(tenant.name());
    }
    return rejected;
  }

  private Evicted<C> evicted(
      Waiting<C> call, TenantQueue<C> tenant, EvictReason reason, long nowNanos) {
    return new Evicted<>(call.call(), reason, waited(call, nowNanos), retryAfter(tenant));
  }

  /** Until half of what the tenant has waiting has begun. */
  private Duration retryAfter(TenantQueue<C> tenant) {
    Duration half = Duration.ofNanos(turn(tenant, tenant.costBefore(0) / 2));
    Duration least = bounds.retryAfterLeast();
    Duration most = bounds.retryAfterMost();
    return half.compareTo(least) < 0 ? least : half.compareTo(most) > 0 ? most : half;
  }

  private static Duration waited(Waiting<?> call, long nowNanos) {
    return Duration.ofNanos(nowNanos - call.arrivedNanos());
  }

  /**
   * What admission goes by.
   *
   * @param priority {@value #LEAST_PRIORITY} to {@value #MOST_PRIORITY}; a higher one goes first,
   *     among the calls of its tenant only
   * @param costTokens of prompt and reply, estimated; at least 1. What the call took in the end
   *     replaces it
   * @param latestStartNanos a call that has not begun by then can have no answer within its
   *     deadline
   */
  public record AdmissionRequest(
      String tenant, int priority, long costTokens, long latestStartNanos) {

    public static final int LEAST_PRIORITY = 0;
    public static final int MOST_PRIORITY = 9;

    public AdmissionRequest {
      Objects.requireNonNull(tenant, "tenant");
      if (priority < LEAST_PRIORITY || priority > MOST_PRIORITY) {
        throw new IllegalArgumentException(
            "a priority is %d to %d, not: %d".formatted(LEAST_PRIORITY, MOST_PRIORITY, priority));
      }
      if (costTokens < 1) {
        throw new IllegalArgumentException("a call costs at least 1 token, not: " + costTokens);
      }
    }
  }
}
