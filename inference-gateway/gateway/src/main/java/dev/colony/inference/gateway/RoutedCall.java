package dev.colony.inference.gateway;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Timings;
import dev.colony.inference.gateway.CallRouter.Route;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.provider.Attempt;
import dev.colony.inference.provider.Attempt.Answered;
import dev.colony.inference.provider.Attempt.Failed;
import dev.colony.inference.provider.UsageTally;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import dev.colony.inference.routing.PromptBlocks;
import dev.colony.inference.routing.Replica;
import dev.colony.vcm.schedule.Decision;
import dev.colony.vcm.schedule.Decision.Refusal;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: routed, queued, attempted, failed over, until it is answered, its attempts
 * are used up or its deadline has passed. Another replica is tried at once; one that failed before
 * is tried again after a backoff, and of several of them the one whose backoff is over first.
 */
final class RoutedCall {

  private static final Logger LOG = LoggerFactory.getLogger(RoutedCall.class);

  /**
   * What became of this call at a replica.
   *
   * @param readyAt when it may be tried again, on the gateway's clock
   */
  private record LastFailure(int failures, long readyAt) {}

  private final HttpInferenceGateway gateway;
  private final InferenceRequest request;
  private final Consumer<InferenceDelta> parts;
  private final UsageTally spent = new UsageTally();
  private final PromptBlocks blocks;
  private final long begun;
  private final long end;
  private long sent;
  private final Map<String, LastFailure> lastFailures = new HashMap<>();
  private int attempts;
  private int overloads;

  /**
   * @param parts gets the reply's parts as they come
   */
  RoutedCall(
      HttpInferenceGateway gateway, InferenceRequest request, Consumer<InferenceDelta> parts) {
    this.gateway = gateway;
    this.request = request;
    this.parts = parts;
    this.blocks = gateway.router().blocks(request);
    this.begun = gateway.clock().nanos();
    this.sent = begun;
    this.end = begun + request.context().deadline().toNanos();
  }

  /**
   * @throws InferenceException the last attempt's failure
   */
  InferenceReply run() throws InterruptedException {
    while (true) {
      Collection<Replica> replicas = gateway.replicas();
      boolean resident = ownHoldsAll(replicas);
      Optional<Replica> picked = Optional.empty();
      Attempt attempt;
      switch (send(replicas)) {
        case Route.To to -> {
          picked = Optional.of(to.sent().replica());
          attempt = attempt(to.sent());
        }
        case Route.Nowhere nowhere -> attempt = nowhere(nowhere.why(), replicas);
      }
      switch (attempt) {
        case Answered answer -> {
          Replica replica = picked.get();
          gateway.observer().answered(replica, request, answer.usage(), answer.cachedTokens());
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
              replica.id(),
              resident);
        }
        case Failed failed -> {
          LOG.debug("call {}: {}", request.callId(), failed.failure().getMessage());
          if (!goesOn(failed, picked)) {
            throw failed.failure();
          }
        }
      }
    }
  }

  /** Waits until the call may be tried again. False if it may not, or not within its deadline. */
  private boolean goesOn(Failed failed, Optional<Replica> at) throws InterruptedException {
    GatewaySettings settings = gateway.settings();
    if (failed.overloaded()) {
      overloads++;
    } else {
      attempts++;
    }
    boolean usedUp =
        failed.overloaded()
            ? overloads > settings.overloadRetries()
            : attempts >= settings.maxAttempts();
    if (!failed.failure().retryable() || usedUp) {
      return false;
    }
    ReplicaBackoff backoff =
        failed.overloaded() ? ReplicaBackoff.overloaded(settings) : ReplicaBackoff.usual(settings);
    int failures = at.map(replica -> failuresAt(replica) + 1).orElse(attempts);
    Duration delay =
        backoff.delay(failures, failed.failure().retryAfter(), gateway.clock().random());
    long readyAt = gateway.clock().nanos() + delay.toNanos();
    at.ifPresent(replica -> lastFailures.put(replica.id(), new LastFailure(failures, readyAt)));
    Collection<Replica> replicas = gateway.replicas();
    boolean fresh =
        gateway.router().decide(request, blocks, lastFailures.keySet(), this::full)
            instanceof Decision.Run;
    Duration wait =
        fresh
            ? Duration.ZERO
            : soonest(replicas).map(next -> until(lastFailures.get(next).readyAt())).orElse(delay);
    if (wait.compareTo(left()) >= 0) {
      return false;
    }
    if (wait.isPositive()) {
      gateway.clock().sleep(wait);
    }
    return true;
  }

  private Duration until(long nanos) {
    return Duration.ofNanos(nanos - gateway.clock().nanos());
  }

  /**
   * To the best of those at which this call has not failed, else to the one that is ready first.
   */
  private Route send(Collection<Replica> replicas) {
    Route fresh = send(lastFailures.keySet());
    Optional<String> again = fresh instanceof Route.To ? Optional.empty() : soonest(replicas);
    if (again.isEmpty()) {
      return fresh;
    }
    Set<String> others = new TreeSet<>(lastFailures.keySet());
    replicas.forEach(replica -> others.add(replica.id()));
    others.remove(again.get());
    return send(others);
  }

  private Route send(Set<String> excluded) {
    return gateway
        .router()
        .send(
            request,
            blocks,
            excluded,
            this::full,
            replica -> gateway.client(replica).dialect().streams());
  }

  private Optional<String> soonest(Collection<Replica> replicas) {
    return replicas.stream()
        .filter(replica -> lastFailures.containsKey(replica.id()) && !full(replica))
        .map(Replica::id)
        .min(Comparator.comparingLong(id -> lastFailures.get(id).readyAt()));
  }

  private boolean full(Replica replica) {
    return gateway.queue(replica).full();
  }

  private int failuresAt(Replica replica) {
    LastFailure last = lastFailures.get(replica.id());
    return last == null ? 0 : last.failures();
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
    boolean hurried = false;
    try {
      Replica replica = to.replica();
      ReplicaQueue queue = gateway.queue(replica);
      if (!queue.enter()) {
        return failed(Kind.SERVER_ERROR, "the queue of replica " + replica.id() + " is full");
      }
      try {
        if (!queue.start(left())) {
          return failed(
              Kind.TIMEOUT,
              "replica "
                  + replica.id()
                  + " had no free slot within "
                  + request.context().deadline());
        }
        try {
          Duration timeout = left();
          sent = gateway.clock().nanos();
          to.started();
          Duration bound = gateway.settings().attemptTimeout();
          hurried = timeout.compareTo(bound) < 0;
          attempt =
              Optional.of(
                  gateway
                      .client(replica)
                      .complete(
                          request, replica.id(), hurried ? timeout : bound, hearing(to), spent));
          return attempt.get();
        } finally {
          queue.finish();
        }
      } finally {
        queue.leave();
      }
    } finally {
      tell(to, attempt, hurried);
    }
  }

  private Consumer<InferenceDelta> hearing(Sent to) {
    return part -> {
      if (!(part instanceof InferenceDelta.Asked)) {
        to.part();
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
      case Failed failed ->
          to.failed(
              switch (failed.failure().kind()) {
                case UNREACHABLE, SERVER_ERROR, BROKEN_OFF -> Outcome.FAILED;
                case TIMEOUT -> hurried ? Outcome.NOTHING : Outcome.FAILED;
                case OVERLOADED, REJECTED, EVICTED -> Outcome.NOTHING;
                case QUOTA, REFUSED, TOO_LONG, BAD_REPLY -> Outcome.SUCCEEDED;
              });
    }
  }

  private Failed nowhere(Refusal why, Collection<Replica> replicas) {
    return why == Refusal.NO_REPLICA
        ? failed(Kind.UNREACHABLE, "no replica is known")
        : failed(Kind.SERVER_ERROR, "the queues of all " + replicas.size() + " replicas are full");
  }

  private Failed failed(Kind kind, String message) {
    return new Failed(new InferenceException(kind, message, null, spent.total()));
  }

  private Duration left() {
    return until(end);
  }
}
