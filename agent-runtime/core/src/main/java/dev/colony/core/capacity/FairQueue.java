package dev.colony.core.capacity;

import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Those who wait for a slot, and whose turn it is.
 *
 * <p>Between tenants, the one that uses least of its share goes first; of those that use the same,
 * the one that was served longest ago. Within a tenant the {@link Aging} decides, then who came
 * first. Who does not fit is passed over, so that no slot stays empty for it.
 *
 * <p>That alone could leave an agent waiting for ever: behind tenants that keep coming, or behind
 * smaller requests that always fit. So every so many-th turn is strict: it belongs to the first in
 * the order of aging, whatever the tenants use. Where the queue is for one node, no other agent is
 * served before that one fits; where it is for several, the first one that fits is, since what it
 * waits for may be on another node. With a strict turn in every k, an agent that has n before it in
 * the order of aging is served within k (n + 1) turns, whatever comes later. Tenants share the
 * other turns, k - 1 of k.
 *
 * <p>Not thread-safe. Adding and removing cost O(log n); a turn costs O(t log t) in the tenants
 * that wait, and O(n) where the first ones do not fit.
 *
 * @param <W> who waits, told apart by identity
 */
public final class FairQueue<W> {

  private final Aging aging;
  private final int strictEvery;
  private final boolean oneNode;
  private final Function<W, SlotRequest> requests;
  private final Map<String, Tenant<W>> tenants = new HashMap<>();
  private final Map<W, Waiting<W>> all = new IdentityHashMap<>();
  private long arrivals;
  private long turns;

  private record Waiting<W>(W who, SlotRequest request, long rank, long arrival) {}

  /** Those of one tenant that wait, in their order; gone when none does. */
  private static final class Tenant<W> {
    private final String name;
    private final TreeSet<Waiting<W>> waiting = new TreeSet<>(inOrder());
    private long served;

    private Tenant(String name, long served) {
      this.name = name;
      this.served = served;
    }
  }

  /**
   * @param strictEvery every how many-th turn is strict; 1 for none but strict ones
   * @param oneNode whether a strict turn waits for the one that it belongs to
   * @param requests what one who waits wants; always the same
   */
  public FairQueue(
      Aging aging, int strictEvery, boolean oneNode, Function<W, SlotRequest> requests) {
    this.aging = aging;
    this.strictEvery = strictEvery;
    this.oneNode = oneNode;
    this.requests = requests;
  }

  public int size() {
    return all.size();
  }

  /**
   * Puts one at its place in the order.
   *
   * @throws IllegalStateException if it waits already
   */
  public void add(W who) {
    SlotRequest request = requests.apply(who);
    Waiting<W> waiting = new Waiting<>(who, request, aging.rank(request), arrivals++);
    if (all.putIfAbsent(who, waiting) != null) {
      throw new IllegalStateException(request.agent() + " waits already");
    }
    // A tenant that comes is behind those that wait: one that comes and goes is never favoured.
    tenants
        .computeIfAbsent(request.tenant(), name -> new Tenant<>(name, turns))
        .waiting
        .add(waiting);
  }

  /** Takes one away; false if it does not wait. */
  public boolean remove(W who) {
    Waiting<W> waiting = all.remove(who);
    if (waiting == null) {
      return false;
    }
    Tenant<W> tenant = tenants.get(waiting.request.tenant());
    tenant.waiting.remove(waiting);
    if (tenant.waiting.isEmpty()) {
      tenants.remove(tenant.name);
    }
    return true;
  }

  /**
   * Takes the one whose turn it is.
   *
   * @param fits whether there is capacity for one
   * @param use what a tenant uses, in parts of its share
   * @return empty if none waits, or there is no capacity for any whose turn may be now
   */
  public Optional<W> next(Predicate<W> fits, ToDoubleFunction<String> use) {
    Stream<Waiting<W>> candidates =
        (turns + 1) % strictEvery == 0
            ? strict()
            : inTurn(use).flatMap(one -> one.waiting.stream());
    Optional<Waiting<W>> taken = candidates.filter(one -> fits.test(one.who)).findFirst();
    taken.ifPresent(one -> {
      turns++;
      tenants.get(one.request.tenant()).served = turns;
      remove(one.who);
    });
    return taken.map(Waiting::who);
  }

  /** The first in the order of aging, of whichever tenant. */
  public Optional<W> longest() {
    return first().map(Waiting::who);
  }

  /**
   * Who is to be sent away first: of the tenant with the most waiting, the last one that may be
   * suspended.
   */
  public Optional<W> last() {
    return tenants.values().stream()
        .sorted(
            Comparator.<Tenant<W>>comparingInt(tenant -> -tenant.waiting.size())
                .thenComparing(tenant -> tenant.name))
        .flatMap(tenant ->
            tenant.waiting.descendingSet().stream()
                .filter(one -> one.request.suspendable())
                .limit(1))
        .findFirst()
        .map(Waiting::who);
  }

  private Stream<Waiting<W>> strict() {
    return oneNode ? first().stream() : all.values().stream().sorted(inOrder());
  }

  private Optional<Waiting<W>> first() {
    return tenants.values().stream().map(tenant -> tenant.waiting.first()).min(inOrder());
  }

  private Stream<Tenant<W>> inTurn(ToDoubleFunction<String> use) {
    return tenants.values().stream()
        .sorted(
            Comparator.<Tenant<W>>comparingDouble(tenant -> use.applyAsDouble(tenant.name))
                .thenComparingLong(tenant -> tenant.served)
                .thenComparing(tenant -> tenant.name));
  }

  private static <W> Comparator<Waiting<W>> inOrder() {
    return Comparator.<Waiting<W>>comparingLong(Waiting::rank).thenComparingLong(Waiting::arrival);
  }
}
