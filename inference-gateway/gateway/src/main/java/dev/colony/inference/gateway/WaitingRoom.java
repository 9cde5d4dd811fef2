package dev.colony.inference.gateway;

import dev.colony.inference.gateway.AdmissionDecision.Admitted;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts.RetryClock;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Where the model calls of a node wait, and nowhere else: an {@link AdmissionQueue} and the slots
 * of the replicas. A call is admitted when a replica that may answer it has a free slot, to which
 * it is then routed. One that is carried out once more, after a failure, gives its slot back and
 * waits on, with its place by arrival kept; while it backs off it counts as one that waits. So at
 * most as many calls are in a gateway as may wait and as there are slots.
 *
 * <p>A call's thread is parked while it waits. As long as one does, whether a replica has come,
 * gone, or been ready again is looked at every {@value #RECHECK_MILLIS} ms, and whenever a call
 * comes or ends.
 *
 * <p>Thread-safe. Routing decisions are made under its lock, in the order of admission, for at most
 * {@code look-ahead} calls each time, and none while no slot is free.
 */
final class WaitingRoom implements AutoCloseable {

  private static final long RECHECK_MILLIS = 20;

  /** A call in the room, from when it comes to its end; for the thread of the call. */
  final class Place {

    private final AdmissionRequest request;
    private final Supplier<Optional<Sent>> routed;
    private final long arrived;
    private CompletableFuture<AdmissionDecision<Place>> decision = new CompletableFuture<>();
    private boolean running;
    private Optional<Sent> sent = Optional.empty();
    private RuntimeException failure;

    private Place(AdmissionRequest request, Supplier<Optional<Sent>> routed, long arrived) {
      this.request = request;
      this.routed = routed;
      this.arrived = arrived;
    }

    /** Done when the call waits no more. */
    Future<?> decided() {
      return decision;
    }

    /** Where it was admitted to. */
    Sent sent() {
      return sent.orElseThrow(() -> failure);
    }

    private boolean begins(Collection<Replica> replicas) {
      if (replicas.stream().allMatch(WaitingRoom.this::full)) {
        return false;
      }
      try {
        sent = routed.get();
      } catch (RuntimeException broken) {
        // The thread may be that of another call, or the timer: the failure is kept for this one.
        failure = broken;
        return true;
      }
      sent.ifPresent(to -> slot(to.replica()).incrementAndGet());
      return sent.isPresent();
    }
  }

  private final AdmissionQueue<Place> queue;
  private final ToIntFunction<Replica> slotsOf;
  private final Supplier<Collection<Replica>> replicas;
  private final RetryClock clock;
  private final CallObserver observer;
  private final Map<String, AtomicInteger> slots = new ConcurrentHashMap<>();

  /** Whether it is going to be looked at once more. */
  private boolean rechecks;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("waiting-room").factory());

  /**
   * @param slotsOf calls that may be under way at a replica; answers from memory
   * @param replicas those of the moment
   * @param observer hears of each decision
   */
  WaitingRoom(
      AdmissionSettings settings,
      ToIntFunction<Replica> slotsOf,
      Supplier<Collection<Replica>> replicas,
      RetryClock clock,
      CallObserver observer) {
    this.queue = new AdmissionQueue<>(settings);
    this.slotsOf = slotsOf;
    this.replicas = replicas;
    this.clock = clock;
    this.observer = observer;
  }

  /**
   * A call comes. {@link #leave} has to follow.
   *
   * @param routed routes it to a replica that is not full; empty if there is none. Called under the
   *     room's lock, from any thread
   */
  synchronized Place enter(AdmissionRequest request, Supplier<Optional<Sent>> routed) {
    Place place = new Place(request, routed, clock.nanos());
    tell(queue.offer(place, request, place.arrived));
    dispatch();
    return place;
  }

  /** Blocks until a call is admitted, or is not to be. */
  AdmissionDecision<Place> await(Place place) throws InterruptedException {
    try {
      return place.decision.get(
          place.request.latestStartNanos() - clock.nanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      synchronized (this) {
        // Its own time is over by the clock of the thread, if not by that of the queue.
        long over = Math.max(clock.nanos(), place.request.latestStartNanos() + 1);
        tell(queue.expire(over));
      }
      return place.decision.join();
    } catch (ExecutionException never) {
      throw new IllegalStateException(never);
    }
  }

  /**
   * A call is to be carried out once more, and not before it is {@linkplain #resume resumed}.
   *
   * @param tookTokens by its last attempt
   */
  synchronized void again(Place place, long tookTokens) {
    end(place, tookTokens);
    // First: the slot goes to another, whose place is then free for this call.
    dispatch();
    place.decision = new CompletableFuture<>();
    tell(queue.delay(place, place.request, place.arrived, clock.nanos()));
    recheckSoon();
  }

  /** It may be. */
  synchronized void resume(Place place) {
    queue.resume(place);
    dispatch();
  }

  /**
   * A call has ended, however: its slot is free, or it waits no more.
   *
   * @param tookTokens by its last attempt
   */
  synchronized void leave(Place place, long tookTokens) {
    queue.cancel(place);
    end(place, tookTokens);
    dispatch();
  }

  private void end(Place place, long tookTokens) {
    if (place.running) {
      place.running = false;
      place.sent.ifPresent(to -> {
        slot(to.replica()).decrementAndGet();
        to.failed(Outcome.NOTHING);
      });
      place.sent = Optional.empty();
      queue.ended(place, tookTokens, clock.nanos());
    }
  }

  private synchronized void recheck() {
    rechecks = false;
    dispatch();
  }

  private void dispatch() {
    if (queue.waiting() > 0) {
      try {
        begin();
      } finally {
        recheckSoon();
      }
    }
  }

  private void recheckSoon() {
    if (!rechecks && queue.waiting() > 0 && !timer.isShutdown()) {
      rechecks = true;
      timer.schedule(this::recheck, RECHECK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void begin() {
    Collection<Replica> now = replicas.get();
    if (slots.size() > now.size()) {
      slots
          .entrySet()
          .removeIf(slot ->
              slot.getValue().get() == 0
                  && now.stream().noneMatch(one -> one.id().equals(slot.getKey())));
    }
    tell(
        now.isEmpty()
            ? queue.unavailable(clock.nanos())
            : queue.dispatch(clock.nanos(), place -> place.begins(now)));
  }

  private void tell(List<AdmissionDecision<Place>> decisions) {
    for (AdmissionDecision<Place> decision : decisions) {
      Place place = decision.call();
      place.running = decision instanceof Admitted<Place>;
      observer.decided(place.request, decision);
      place.decision.complete(decision);
    }
  }

  /** Whether as many calls are under way at a replica as may. Does not wait for the lock. */
  boolean full(Replica replica) {
    AtomicInteger taken = slots.get(replica.id());
    return taken != null && taken.get() >= slotsOf.applyAsInt(replica);
  }

  /** Calls that wait, those included that back off. */
  synchronized int waiting() {
    return queue.waiting();
  }

  /** Those of them that are of a tenant. */
  synchronized int waiting(String tenant) {
    return queue.waiting(tenant);
  }

  /** Those of them that back off. */
  synchronized int delayed() {
    return queue.delayed();
  }

  private AtomicInteger slot(Replica replica) {
    return slots.computeIfAbsent(replica.id(), id -> new AtomicInteger());
  }

  @Override
  public synchronized void close() {
    timer.shutdownNow();
  }
}
