package dev.colony.inference.gateway;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceReply.Timings;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.AdmissionDecision.Admitted;
import dev.colony.inference.gateway.AdmissionDecision.Evicted;
import dev.colony.inference.gateway.AdmissionDecision.Rejected;
import dev.colony.inference.gateway.AdmissionDecision.Unavailable;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.CallRouter.Route;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.gateway.GatewaySettings.ReplicaBackoff;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts;
import dev.colony.inference.gateway.MeteredCall.NotYet;
import dev.colony.inference.gateway.ModelClients.ModelChain;
import dev.colony.inference.gateway.WaitingRoom.Place;
import dev.colony.inference.provider.ModelClient;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.Patience;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: admitted, routed, attempted, failed over, until it is answered, its attempts
 * are used up or its deadline has passed. Another replica is tried as soon as it has a slot; one
 * that failed before is tried again after a backoff, and of several of them the one whose backoff
 * is over first.
 *
 * <p>One thread runs it. Where it goes is asked from others, while it waits, under the waiting
 * room's lock.
 */
sealed class RoutedCall permits EmbeddingCall {

  private static final Logger LOG = LoggerFactory.getLogger(RoutedCall.class);

  /** How often an overloaded model is asked again where another one stands in for it. */
  private static final int FALLBACK_OVERLOAD_RETRIES = 2;

  /** How often the time for a first part is doubled at a server that was too slow. */
  private static final int MOST_DOUBLINGS = 3;

  /**
   * What became of this call at a replica.
   *
   * @param timeouts how many of the failures were a reply that did not come in time
   * @param readyAt when it may be tried again, on the gateway's clock
   */
  private record LastFailure(int failures, int timeouts, long readyAt) {}

  private final GatewayParts gateway;
  private final ReplicaCaches caches;
  private final InferenceRequest request;
  private final Consumer<InferenceDelta> parts;
  private final MeteredCall spent;
  private final PromptBlocks blocks;
  private final ModelChain chain;
  private final CallRefusals refusals;
  private final long begun;
  private final long end;
  private long sent;
  private final Map<String, LastFailure> lastFailures = new HashMap<>();
  private int attempts;
  private int overloads;
  private long counted;

  /**
   * @param parts gets the reply's parts as they come
   * @throws InferenceException if the model that is asked for is none
   */
  RoutedCall(
      GatewayParts gateway,
      ReplicaCaches caches,
      InferenceRequest request,
      Consumer<InferenceDelta> parts,
      ModelChain chain) {
    this.gateway = gateway;
    this.caches = caches;
    this.request = request;
    this.parts = parts;
    this.blocks = gateway.router().blocks(request);
    this.chain = chain;
    this.begun = gateway.clock().nanos();
    this.sent = begun;
    this.end = begun + request.context().deadline().toNanos();
    this.spent =
        new MeteredCall(gateway.spending(), request, gateway.clock(), gateway.observer(), end);
    this.refusals = new CallRefusals(request, gateway.settings().admission(), chain, spent);
  }

  /**
   * @throws InferenceException the last attempt's failure, or that there is no room for the call
   */
  InferenceReply run() throws InterruptedException {
    WaitingRoom room = gateway.room();
    CallContext context = request.context();
    Place place =
        room.enter(
            new AdmissionRequest(context.tenant(), context.priority(), cost(), end), this::route);
    try {
      while (true) {
        Optional<Replica> picked = Optional.empty();
        Attempt attempt;
        boolean resident = false;
        switch (room.await(place)) {
          case Admitted<Place> admitted -> {
            resident = ownHoldsAll(gateway.models().replicas());
            try {
              Sent to = place.sent();
              picked = Optional.of(to.replica());
              attempt = attempt(to);
            } catch (NotYet wait) {
              again(place, wait.after());
              continue;
            } catch (InferenceException refused) {
              attempt = new Failed(refused);
            }
          }
          case Rejected<Place> rejected -> throw refusals.rejected(rejected);
          case Evicted<Place> evicted -> throw refusals.evicted(evicted);
          case Unavailable<Place> unavailable -> attempt = new Failed(refusals.nowhere());
        }
        switch (attempt) {
          case Answered answer -> {
            return answered(answer, picked.get(), resident);
          }
          case Failed failed -> {
            LOG.debug("call {}: {}", request.callId(), failed.failure().getMessage());
            if (!goesOn(failed, picked, place)) {
              throw failed.failure();
            }
          }
        }
      }
    } finally {
      room.leave(place, took());
    }
  }

  private InferenceReply answered(Answered answer, Replica replica, boolean resident) {
    gateway.observer().answered(replica, request, answer.usage(), answer.cachedTokens());
    remember(replica);
    if (!chain.model().equals(chain.first())) {
      LOG.info(
          "call {}: {} answered in place of {}: {}",
          request.callId(),
          chain.model(),
          chain.first(),
          chain.why().map(Throwable::getMessage).orElse("its servers are not available"));
      gateway
          .observer()
          .fellBack(chain.first(), chain.model(), chain.why().map(InferenceException::kind));
    }
    return new InferenceReply(
        request.callId(),
        answer.text(),
        answer.toolCalls(),
        answer.reasoning(),
        answer.finish(),
        answer.usage(),
        new Timings(
            Duration.ofNanos(sent - begun),
            answer.firstToken(),
            Duration.ofNanos(gateway.clock().nanos() - begun)),
        answer.model(),
        replica.model(),
        replica.id(),
        resident);
  }

  /** Its prompt is in the replica's cache. */
  void remember(Replica replica) {
    caches.answered(replica, request, blocks);
  }

  /** The most tokens that one completion of it takes, about. */
  private long cost() {
    return Math.max(1, request.prompt().estimatedTokens() + request.reply().maxTokens());
  }

  /** What the last attempt took; asked once for each. */
  private long took() {
    Usage usage = spent.total();
    long tokens = usage.promptTokens() + usage.completionTokens();
    long more = tokens - counted;
    counted = tokens;
    return more;
  }

  /**
   * Gives the slot back and waits until the call may be tried again. False if it may not, or not
   * within its deadline.
   */
  private boolean goesOn(Failed failed, Optional<Replica> at, Place place)
      throws InterruptedException {
    GatewaySettings settings = gateway.settings();
    chain.failed(failed.failure());
    if (failed.overloaded()) {
      overloads++;
    } else {
      attempts++;
    }
    boolean usedUp =
        failed.overloaded()
            ? overloads > overloadRetries(settings)
            : attempts >= settings.limits().maxAttempts() && !(at.isPresent() && awaits(failed));
    if (!failed.failure().retryable() || usedUp) {
      return fallsBack(failed, place);
    }
    boolean slow = failed.failure().kind() == Kind.TIMEOUT;
    ReplicaBackoff backoff =
        failed.overloaded() || slow ? settings.bounds().overloaded() : settings.bounds().backoff();
    int failures = at.map(replica -> failuresAt(replica) + 1).orElse(attempts);
    int timeouts = at.map(this::timeoutsAt).orElse(0) + (slow ? 1 : 0);
    Duration delay =
        backoff.delay(failures, failed.failure().retryAfter(), gateway.clock().random());
    long readyAt = gateway.clock().nanos() + delay.toNanos();
    at.ifPresent(
        replica -> lastFailures.put(replica.id(), new LastFailure(failures, timeouts, readyAt)));
    List<Replica> replicas = candidates();
    boolean fresh = replicas.stream().anyMatch(replica -> !lastFailures.containsKey(replica.id()));
    Duration wait =
        fresh
            ? Duration.ZERO
            : replicas.stream()
                .map(replica -> until(lastFailures.get(replica.id()).readyAt()))
                .min(Comparator.naturalOrder())
                .orElse(delay);
    if (wait.compareTo(left()) >= 0) {
      return fallsBack(failed, place);
    }
    again(place, wait);
    return true;
  }

  /** An agent has nothing better to do than to wait until a server is there again. */
  private boolean awaits(Failed failed) {
    return failed.failure().kind() == InferenceException.Kind.UNREACHABLE
        && request.context().agent().isPresent()
        && chain.last();
  }

  private void again(Place place, Duration after) throws InterruptedException {
    gateway.room().again(place, took());
    if (after.isPositive()) {
      gateway.clock().sleep(after, place.decided());
    }
    gateway.room().resume(place);
  }

  private int overloadRetries(GatewaySettings settings) {
    int most = settings.limits().overloadRetries();
    return chain.last() ? most : Math.min(most, FALLBACK_OVERLOAD_RETRIES);
  }

  /** Gives the slot back and has the next model asked. False if none may be. */
  private boolean fallsBack(Failed failed, Place place) {
    if (!ModelChain.fallsBack(failed.failure().kind()) || !left().isPositive() || !chain.next()) {
      return false;
    }
    anew();
    gateway.room().again(place, took());
    gateway.room().resume(place);
    return true;
  }

  /** Nothing has failed at the model that is asked. */
  private void anew() {
    attempts = 0;
    overloads = 0;
    lastFailures.clear();
  }

  private List<Replica> candidates() {
    return ofModel().filter(this::mayHold).toList();
  }

  private Stream<Replica> ofModel() {
    return gateway.models().replicas().stream()
        .filter(replica -> replica.model().equals(chain.model()));
  }

  private boolean mayHold(Replica replica) {
    return request.prompt().pages().stream()
        .allMatch(page -> gateway.residency().mayHold(replica, page.sensitivity()));
  }

  private Duration until(long nanos) {
    return Duration.ofNanos(nanos - gateway.clock().nanos());
  }

  /**
   * Where it goes: to a replica of the first model that is available, from the one that is asked
   * on, or of that one where none is; to the best of those at which this call has not failed, else
   * to the one of the others that has been ready for longest; of those that have a free slot.
   *
   * @throws InferenceException if the model has no replica
   */
  private Optional<Sent> route() {
    if (!chain.last() && chain.skip(gateway.models()::available)) {
      anew();
    }
    if (candidates().isEmpty()) {
      throw ofModel().findAny().isPresent() ? refusals.barred() : refusals.nowhere();
    }
    Optional<Sent> fresh = send(lastFailures.keySet());
    if (fresh.isPresent()) {
      return fresh;
    }
    long now = gateway.clock().nanos();
    List<Replica> free =
        candidates().stream().filter(replica -> !gateway.room().full(replica)).toList();
    Optional<Replica> again =
        free.stream()
            .filter(replica -> lastFailures.containsKey(replica.id()))
            .filter(replica -> lastFailures.get(replica.id()).readyAt() <= now)
            .min(Comparator.comparingLong(one -> lastFailures.get(one.id()).readyAt()));
    return again.flatMap(replica -> {
      Set<String> others = new TreeSet<>(lastFailures.keySet());
      free.forEach(one -> others.add(one.id()));
      others.remove(replica.id());
      return send(others);
    });
  }

  private Optional<Sent> send(Set<String> failed) {
    Set<String> excluded = new TreeSet<>(failed);
    ofModel().filter(replica -> !mayHold(replica)).map(Replica::id).forEach(excluded::add);
    Route route =
        gateway
            .router()
            .send(
                request,
                blocks,
                chain.model(),
                excluded,
                gateway.room()::full,
                replica -> gateway.models().client(replica).dialect().streams());
    return switch (route) {
      case Route.To to -> Optional.of(to.sent());
      case Route.Nowhere nowhere -> Optional.empty();
    };
  }

  private int failuresAt(Replica replica) {
    LastFailure last = lastFailures.get(replica.id());
    return last == null ? 0 : last.failures();
  }

  private int timeoutsAt(Replica replica) {
    LastFailure last = lastFailures.get(replica.id());
    return last == null ? 0 : last.timeouts();
  }

  /** A server that was too slow has a part of the prompt in its cache, and goes on from there. */
  private Patience patience(Replica replica, ReplicaSlots.Call call) {
    int times = 1 << Math.min(MOST_DOUBLINGS, timeoutsAt(replica));
    // Where there is no other, what it has begun is waited for once more, rather than begun again.
    AtomicBoolean alone = new AtomicBoolean(candidates().size() == 1);
    return new Patience(times, () -> call.moves() || alone.getAndSet(false));
  }

  private boolean ownHoldsAll(Collection<Replica> replicas) {
    return replicas.stream()
        .filter(replica -> replica.node().equals(gateway.ownNode()))
        .anyMatch(own ->
            request.prompt().pages().stream()
                .allMatch(page -> gateway.residency().resident(own.id(), page.id())));
  }

  private Attempt attempt(Sent to) throws InterruptedException {
    Optional<Attempt> attempt = Optional.empty();
    Replica replica = to.replica();
    Duration bound = gateway.settings().limits().attemptTimeout();
    Duration timeout = left();
    boolean hurried = timeout.compareTo(bound) < 0;
    gateway.observer().sent(replica, request);
    ReplicaSlots.Call call = gateway.slots().sent(replica.id());
    try {
      sent = gateway.clock().nanos();
      to.started();
      spent.attempt(replica.model(), to::cached);
      ModelClient client = gateway.models().client(replica);
      attempt = Optional.of(ask(client, to, call, hurried ? timeout : bound, spent));
      return attempt.get();
    } finally {
      gateway.observer().ended(replica, request);
      call.ended(attempt.filter(Attempt::brokenOff).isPresent());
      tell(to, attempt, hurried);
    }
  }

  Attempt ask(ModelClient client, Sent to, ReplicaSlots.Call call, Duration time, UsageTally tally)
      throws InterruptedException {
    Patience patience = patience(to.replica(), call);
    return client.complete(request, to.replica().id(), time, patience, hearing(to, call), tally);
  }

  private Consumer<InferenceDelta> hearing(Sent to, ReplicaSlots.Call call) {
    return part -> {
      if (!(part instanceof InferenceDelta.Asked)) {
        to.part();
        call.part();
      }
      parts.accept(part);
    };
  }

  /**
   * @param attempt empty where the server was not asked to the end
   * @param hurried whether it had less time than an attempt usually has
   */
  private static void tell(Sent to, Optional<Attempt> attempt, boolean hurried) {
    if (attempt.isEmpty()) {
      to.failed(Outcome.NOTHING);
      return;
    }
    switch (attempt.get()) {
      case Answered answer -> to.answered(answer.usage(), answer.cachedTokens());
      case Failed failed -> to.failed(Outcome.of(failed.failure().kind(), hurried));
    }
  }

  private Duration left() {
    return until(end);
  }
}
